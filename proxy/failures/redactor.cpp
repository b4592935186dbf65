#include "proxy/failures/redactor.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view redacted = "[redacted]";

// Secrets of at least this many bytes are found anywhere in a text. A shorter secret may be a part of ordinary words.
constexpr std::size_t long_enough = 8;

// These words are not secrets, although some configurations use them as keys.
constexpr std::array<std::string_view, 12> plain_words{"true", "false", "yes",   "no",      "on",   "off",
                                                       "none", "null",  "empty", "default", "auto", "dummy"};

std::uint8_t byte_of(char character) { return static_cast<std::uint8_t>(character); }

bool is_word_letter(char lower) { return is_digit(lower) || (lower >= 'a' && lower <= 'z') || lower == '_'; }

bool hides_nothing(std::string_view lower) {
  const bool is_small_number = lower.size() <= 3 && std::all_of(lower.begin(), lower.end(), is_digit);
  const bool is_plain_word = std::find(plain_words.begin(), plain_words.end(), lower) != plain_words.end();
  return lower.size() < 2 || is_small_number || is_plain_word;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view unreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char character : text) {
    if (unreserved.find(character) != std::string_view::npos) {
      out.push_back(character);
      continue;
    }
    out.push_back('%');
    out.push_back(digits[byte_of(character) >> 4]);
    out.push_back(digits[byte_of(character) & 0x0F]);
  }
  return out;
}

std::string url_safe(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

bool stands_alone(std::string_view lower, std::size_t at, std::size_t size) {
  const bool has_neighbour_before = at > 0 && is_word_letter(lower[at - 1]);
  const bool has_neighbour_behind = at + size < lower.size() && is_word_letter(lower[at + size]);
  return !has_neighbour_before && !has_neighbour_behind;
}

}  // namespace

bool redactor::form::operator<(const form& other) const {
  return std::tie(text, is_word) < std::tie(other.text, other.is_word);
}

redactor::redactor(std::span<const secret> secrets) {
  for (const secret& each : secrets) add(each);
  std::sort(forms_.begin(), forms_.end());
  const auto is_same = [](const form& one, const form& other) { return one.text == other.text; };
  forms_.erase(std::unique(forms_.begin(), forms_.end(), is_same), forms_.end());
  link_forms();
}

void redactor::add(const secret& each) {
  const std::string& text = each.reveal();
  if (text.size() < long_enough) {
    const std::string lower = ascii_lower(text);
    if (!hides_nothing(lower)) add_form(lower, true);
    return;
  }
  const std::string quoted = json_quote(text);
  // The padding of base64 is omitted, because it carries no information. The encoded secret is then found with and
  // without padding.
  const std::string encoded = base64_encoded(text, base64_padding::unwanted);
  add_form(ascii_lower(text), false);
  add_form(ascii_lower(percent_encoded(text)), false);
  add_form(ascii_lower(quoted.substr(1, quoted.size() - 2)), false);
  add_form(ascii_lower(encoded), false);
  add_form(ascii_lower(url_safe(encoded)), false);
}

void redactor::add_form(std::string text, bool is_word) {
  longest_ = std::max(longest_, text.size());
  first_bytes_.set(byte_of(text.front()));
  forms_.push_back({std::move(text), is_word, 0});
}

// Links each form of a secret to the longest other form with which it begins. In sorted order, a form is directly
// followed by all forms that begin with it.
void redactor::link_forms() {
  std::vector<std::size_t> open;
  for (std::size_t index = 0; index < forms_.size(); ++index) {
    while (!open.empty() && !forms_[index].text.starts_with(forms_[open.back()].text)) open.pop_back();
    forms_[index].within = open.empty() ? 0 : open.back() + 1;
    open.push_back(index);
  }
}

// Returns the length of the longest secret that begins at the position `at` of `lower`, or 0 if there is none. A binary
// search in the sorted forms finds the last form that is not greater than the rest of the text. If another form
// matches, it is a prefix of the form that was found.
std::size_t redactor::match_at(std::string_view lower, std::size_t at) const {
  if (!first_bytes_.test(byte_of(lower[at]))) return 0;
  const std::string_view rest = lower.substr(at, longest_);
  const auto above = std::upper_bound(forms_.begin(), forms_.end(), rest,
                                      [](std::string_view text, const form& each) { return text < each.text; });
  for (auto next = static_cast<std::size_t>(above - forms_.begin()); next > 0; next = forms_[next - 1].within) {
    const form& each = forms_[next - 1];
    if (!rest.starts_with(each.text)) continue;
    if (!each.is_word || stands_alone(lower, at, each.text.size())) return each.text.size();
  }
  return 0;
}

// Searches for a long secret that is cut off at the end of `lower`. Returns the number of its bytes there, or 0.
std::size_t redactor::cut_at_end(std::string_view lower) const {
  const auto is_below = [](const form& each, std::string_view text) { return each.text < text; };
  for (std::size_t size = std::min(longest_, lower.size()); size >= long_enough; --size) {
    const std::string_view tail = lower.substr(lower.size() - size);
    if (!first_bytes_.test(byte_of(tail.front()))) continue;
    const auto first = std::lower_bound(forms_.begin(), forms_.end(), tail, is_below);
    if (first != forms_.end() && first->text.starts_with(tail)) return size;
  }
  return 0;
}

std::string redactor::redact(std::string_view text) const {
  if (forms_.empty()) return std::string(text);
  const std::string lower = ascii_lower(text);
  const std::size_t end = text.size() - (text.ends_with(ellipsis) ? ellipsis.size() : 0);
  std::string out;
  std::size_t kept_from = 0;
  const auto take_out = [&](std::size_t at, std::size_t size) {
    out.append(text.substr(kept_from, at - kept_from)).append(redacted);
    kept_from = at + size;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = match_at(lower, at);
    if (size > 0) take_out(at, size);
    at += std::max<std::size_t>(size, 1);
  }
  if (kept_from < end) {
    const std::size_t size = cut_at_end(std::string_view(lower).substr(kept_from, end - kept_from));
    if (size > 0) take_out(end - size, size);
  }
  return out.append(text.substr(kept_from));
}

void redactor::redact(failure& why) const {
  for (std::string* text : {&why.detail, &why.code, &why.type, &why.param}) *text = redact(*text);
  // If the JSON contains a secret, the whole JSON is dropped, because an edited JSON text would be useless.
  if (redact(why.details) != why.details) why.details.clear();
}

void add_header_secrets(std::string_view value, std::vector<secret>& to) {
  to.emplace_back(std::string(value));
  const std::size_t space = value.find(' ');
  if (space != std::string_view::npos && value.find(' ', space + 1) == std::string_view::npos) {
    const std::string_view credentials = value.substr(space + 1);
    to.emplace_back(std::string(credentials));
    if (ascii_lower(value.substr(0, space)) == "basic") {
      const std::string decoded = base64_decoded(credentials);  // user:password
      if (!decoded.empty()) to.emplace_back(decoded);
      const std::size_t colon = decoded.find(':');
      if (colon != std::string::npos) to.emplace_back(decoded.substr(colon + 1));
    }
  }
  while (!value.empty()) {
    const std::size_t end = std::min(value.find_first_of(";,"), value.size());
    const std::string_view part = value.substr(0, end);
    const std::size_t equals = part.find('=');
    // A short text after the equals sign is probably a parameter, such as `q=0.9`, and not a secret.
    if (equals != std::string_view::npos && part.size() - equals > long_enough)
      to.emplace_back(std::string(part.substr(equals + 1)));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
}

std::string redact(std::string_view text, std::span<const secret> secrets) { return redactor(secrets).redact(text); }

void redact(failure& why, std::span<const secret> secrets) { redactor(secrets).redact(why); }

}  // namespace photofinish::proxy
