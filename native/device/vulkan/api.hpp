// SPDX-License-Identifier: Apache-2.0
// Vulkan without linking to it: volk finds the loader at run time. Weft calls through tables
// (InstanceApi and VolkDeviceTable), never through volk's global function pointers.
#pragma once

#include <volk.h>
