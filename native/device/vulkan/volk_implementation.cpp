// SPDX-License-Identifier: Apache-2.0
#define VOLK_IMPLEMENTATION
#include <volk.h>
