#include "proxy/find_dialect.hpp"

#include "proxy/dialects/anthropic/anthropic_dialect.hpp"
#include "proxy/dialects/bedrock/bedrock_dialect.hpp"
#include "proxy/dialects/gemini/gemini_dialect.hpp"
#include "proxy/dialects/openai/openai_dialect.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

template <class T>
const T the{};  // one object is enough, because a dialect has no state

}  // namespace

std::span<const named_dialect> all_dialects() {
  static constexpr auto all = std::to_array<named_dialect>({
      {"openai", &the<openai_dialect>},
      {"anthropic", &the<anthropic_dialect>, auth_style::header, "x-api-key"},
      {"gemini", &the<gemini_dialect>, auth_style::header, "x-goog-api-key"},
      {"bedrock", &the<bedrock_dialect>, auth_style::aws},
  });
  return all;
}

const dialect* find_dialect(std::string_view name, std::span<const named_dialect> among) {
  for (const named_dialect& each : among)
    if (each.name == name) return each.its;
  return nullptr;
}

}  // namespace photofinish::proxy
