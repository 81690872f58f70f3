// SPDX-License-Identifier: Apache-2.0
#include "codegen/pipeline.hpp"

#include "codegen/passes/accumulation.hpp"
#include "codegen/passes/ahead.hpp"
#include "codegen/passes/arguments.hpp"
#include "codegen/passes/cache.hpp"
#include "codegen/passes/classify.hpp"
#include "codegen/passes/collapse.hpp"
#include "codegen/passes/index_width.hpp"
#include "codegen/passes/stage.hpp"
#include "codegen/passes/storage.hpp"
#include "codegen/passes/threads.hpp"
#include "codegen/passes/tile.hpp"
#include "codegen/passes/vector_width.hpp"

namespace weft::codegen {

void lower(Kernel& kernel) {
    collapse_dimensions(kernel); // (a, b, c) -> (a * b, c) where every operand allows it
    classify_memory(kernel);     // words or typed pointers; linear, uniform, packed
    choose_accumulation(kernel); // gradients: plain, through the group, or atomic
    choose_index_width(kernel);  // 32-bit unless an offset needs more
    choose_tiling(kernel);       // transposed operands read through the cache in tiles
    cache_additions(kernel);     // entries that neighbours add to meet in group-shared memory
    choose_vector_width(kernel); // several elements a thread, 16-byte accesses
    stage_structures(kernel);    // elements of odd sizes pass through group-shared memory on GPUs
    load_ahead(kernel);          // several turns of a reduction have their loads in flight together
    assign_storage_slots(kernel); // storage buffers instead of pointers on software devices
    choose_thread_grid(kernel);   // groups to launch
    lay_out_arguments(kernel);    // the fields of the argument block
}

} // namespace weft::codegen
