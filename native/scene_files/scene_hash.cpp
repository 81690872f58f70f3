// SPDX-License-Identifier: Apache-2.0
#include "scene_files/scene_hash.hpp"

#include "core/sha256.hpp"
#include "scene_files/writer.hpp"

namespace weft::scene_files {

// The text names arrays by what is in them.
std::string hash_of(const SceneFile& file) {
    Writer writer;
    Json json{{"scene", writer.parts(file)}};
    json["objects"] = writer.take_objects();
    return core::sha256(json.dump(-1, ' ', true));
}

} // namespace weft::scene_files
