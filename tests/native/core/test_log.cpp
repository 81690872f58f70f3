// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "support/catch.hpp"

#include <stdexcept>
#include <string>

using namespace weft::core;

TEST_CASE("messages at or above the threshold reach the sink") {
    std::string seen;
    Logger logger([&seen](LogLevel level, std::string_view message) {
        seen += std::string(to_string(level)) + ":" + std::string(message) + ";";
    });

    logger.log(LogLevel::debug, "a");
    logger.log(LogLevel::warning, "b");
    logger.set_threshold(LogLevel::error);
    logger.log(LogLevel::warning, "c");

    CHECK(seen == "warning:b;");
}

TEST_CASE("a logger without a sink drops messages, one whose sink throws does too") {
    Logger logger;
    logger.log(LogLevel::error, "nobody listens");
    logger.set_sink([](LogLevel, std::string_view) { throw std::runtime_error("sink"); });

    CHECK_NOTHROW(logger.log(LogLevel::error, "x"));
}
