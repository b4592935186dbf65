#include "gateway/bench/goodput.hpp"

#include "gateway/config/yaml/near_name.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace photofinish::gateway::bench {
namespace {

std::string unknown_name(std::string_view name) {
  std::vector<std::string> known;
  for (const figure& each : figures()) known.emplace_back(each.tag);
  std::string text = "--goodput: unknown figure '" + std::string(name) + "'";
  if (const auto near = nearest(name, known)) return text + "; did you mean '" + *near + "'?";
  text += "; --goodput accepts these figures: ";
  for (const std::string& each : known) text += each + (each == known.back() ? "" : ", ");
  return text;
}

std::optional<double> positive_number(std::string_view text) {
  const auto number = proxy::parse_number<double>(text);
  return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

}  // namespace

std::variant<std::vector<goodput_limit>, std::string> parse_goodput(std::string_view text) {
  std::vector<goodput_limit> limits;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos) return limits;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" ,"));
    text.remove_prefix(word.size());
    const std::size_t colon = word.find(':');
    const auto limit = colon == word.npos ? std::nullopt : positive_number(word.substr(colon + 1));
    if (!limit) return "--goodput: '" + std::string(word) + "' is not NAME:NUMBER, such as time_to_first_token:200";
    const figure* named = find_figure(word.substr(0, colon));
    if (!named) return unknown_name(word.substr(0, colon));
    limits.push_back({named, *limit});
  }
}

bool is_good(const request_figures& request, const std::vector<goodput_limit>& limits) {
  return std::all_of(limits.begin(), limits.end(), [&](const goodput_limit& each) {
    const auto value = request.value(*each.of);
    if (!value) return false;
    return each.of->better == direction::lower ? *value <= each.limit : *value >= each.limit;
  });
}

}  // namespace photofinish::gateway::bench
