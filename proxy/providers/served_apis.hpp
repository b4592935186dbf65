// The set of OpenAI's APIs that a provider serves in OpenAI's own format. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

enum class served_api : std::uint8_t { chat, responses, completions, embeddings, rerank, moderations, images, audio };

// The names of the APIs in the order of the enum. Configurations, presets and x-race-skipped use the same names.
inline constexpr std::array<std::string_view, 8> served_api_words{"chat",   "responses",   "completions", "embeddings",
                                                                  "rerank", "moderations", "images",      "audio"};

constexpr std::string_view to_string(served_api api) { return served_api_words[static_cast<std::size_t>(api)]; }

constexpr std::optional<served_api> parse_served_api(std::string_view word) {
  for (std::size_t at = 0; at < served_api_words.size(); ++at)
    if (served_api_words[at] == word) return static_cast<served_api>(at);
  return std::nullopt;
}

class served_apis {
 public:
  constexpr served_apis() = default;
  constexpr served_apis(std::initializer_list<served_api> all) {
    for (const served_api each : all) add(each);
  }

  constexpr void add(served_api api) { bits_ |= bit(api); }
  constexpr bool contains(served_api api) const { return (bits_ & bit(api)) != 0; }

  bool operator==(const served_apis&) const = default;

 private:
  static constexpr unsigned bit(served_api api) { return 1u << static_cast<unsigned>(api); }

  unsigned bits_ = 0;
};

}  // namespace photofinish::proxy
