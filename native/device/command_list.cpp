// SPDX-License-Identifier: Apache-2.0
#include "device/command_list.hpp"

namespace weft::device {

void CommandList::record(const Dispatch& dispatch) {
    m_replay.reset();
    m_submissions = 0;
    m_dispatches.clear();
    m_commands.push_back({.kernel = dispatch.kernel->shared_from_this(),
                          .group_count = dispatch.group_count,
                          .first_byte = m_bytes.size(),
                          .argument_bytes = dispatch.arguments.size(),
                          .global_bytes = dispatch.globals.size(),
                          .first_use = m_uses.size(),
                          .use_count = dispatch.buffers.size()});
    m_bytes.insert(m_bytes.end(), dispatch.arguments.begin(), dispatch.arguments.end());
    m_bytes.insert(m_bytes.end(), dispatch.globals.begin(), dispatch.globals.end());
    m_uses.insert(m_uses.end(), dispatch.buffers.begin(), dispatch.buffers.end());
    for (const BufferUse& use : dispatch.buffers) {
        m_buffers.push_back(use.buffer->shared_from_this());
    }
}

void CommandList::prepare() {
    const std::span<const std::byte> bytes(m_bytes);
    const std::span<const BufferUse> uses(m_uses);
    for (const Command& command : m_commands) {
        m_dispatches.push_back(
            {.kernel = command.kernel.get(),
             .group_count = command.group_count,
             .arguments = bytes.subspan(command.first_byte, command.argument_bytes),
             .buffers = uses.subspan(command.first_use, command.use_count),
             .globals =
                 bytes.subspan(command.first_byte + command.argument_bytes, command.global_bytes)});
    }
}

void CommandList::submit() {
    if (m_dispatches.empty()) {
        prepare();
    }
    if (++m_submissions == 2 && !m_dispatches.empty()) {
        m_replay = m_device->create_replay(m_dispatches);
    }
    if (m_replay) {
        m_replay->submit();
        return;
    }
    for (const Dispatch& dispatch : m_dispatches) {
        m_device->dispatch(dispatch);
    }
}

void CommandList::clear() noexcept {
    m_replay.reset();
    m_submissions = 0;
    m_dispatches.clear();
    m_commands.clear();
    m_bytes.clear();
    m_uses.clear();
    m_buffers.clear();
}

} // namespace weft::device
