// SPDX-License-Identifier: Apache-2.0
// std::random_device calls arc4random where libstdc++ was built with glibc 2.36 or later. Defining it here
// keeps a wheel built on such a system loadable with glibc 2.34.
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

extern "C" std::uint32_t arc4random() noexcept;

extern "C" std::uint32_t arc4random() noexcept {
    std::uint32_t value = 0;
    if (getrandom(&value, sizeof(value), 0) != static_cast<ssize_t>(sizeof(value))) {
        std::abort(); // as glibc's own does: there is no honest random number to return
    }
    return value;
}
