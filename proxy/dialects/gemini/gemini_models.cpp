#include "proxy/dialects/gemini/gemini_models.hpp"

#include <charconv>

namespace photofinish::proxy {
namespace {

constexpr std::string_view family = "gemini-";

// Google's documentation of thinking, September 2026.
constexpr std::int64_t least_of_pro = 128, most_of_pro = 32'768;
constexpr std::int64_t least_of_lite = 512, most_of_flash = 24'576;

struct version {
  int major = 0;
  int minor = 0;
};

bool is_before(version each, version other) {
  return each.major != other.major ? each.major < other.major : each.minor < other.minor;
}

// "2.5-pro"; of a name without a number 0.
version version_of(std::string_view text) {
  version read;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, read.major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return read;
  std::from_chars(major.ptr + 1, end, read.minor);
  return read;
}

bool holds(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

bool makes_other_media(std::string_view name) {
  return holds(name, "image") || holds(name, "tts") || holds(name, "audio") || holds(name, "live");
}

}  // namespace

gemini_model gemini_model_called(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const bool is_gemini = name.starts_with(family);
  gemini_model model{.thinking = thinking_setting::none, .calls_beside_json = false, .demands_signatures = false};
  if (!is_gemini) return model;
  name.remove_prefix(family.size());
  const version made = version_of(name);
  const bool is_known = made.major > 0;
  if (is_known && is_before(made, {2, 5})) return model;
  const bool is_flash = holds(name, "flash");
  if (is_known && is_before(made, {3, 0})) {
    if (makes_other_media(name)) return model;
    model.thinking = thinking_setting::budget;
    model.least_budget = holds(name, "pro") ? least_of_pro : holds(name, "lite") ? least_of_lite : 0;
    model.most_budget = holds(name, "pro") ? most_of_pro : most_of_flash;
    return model;
  }
  model.demands_signatures = model.calls_beside_json = true;
  if (!makes_other_media(name)) model.thinking = thinking_setting::level;
  // Flash could think least; from 3.7 on, and in what is not known, low is the least that all take.
  if (is_known && is_flash && is_before(made, {3, 7})) model.least_level = "minimal";
  model.has_medium_level = !(made.major == 3 && made.minor == 0 && holds(name, "pro"));
  return model;
}

}  // namespace photofinish::proxy
