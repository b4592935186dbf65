// One request for an answer, whatever API it came by: what the gateway itself reads of it. The rest passes through.
// [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/dialects/usage_chunk.hpp"
#include "proxy/json/client_body.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace photofinish::gateway {

enum class answer_form : std::uint8_t { stream, whole };

struct ask {
  proxy::wire_format format = proxy::wire_format::none;  // of `body`
  std::shared_ptr<const proxy::client_body> body;        // shared by every attempt of its race
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;
  std::string_view prompt;  // JSON in `body`: its bytes give estimates, its text tells a repetition
};

}  // namespace photofinish::gateway
