#include "proxy/aws/aws_credentials.hpp"

#include "proxy/json/character_set.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr char separator = ':';
constexpr character_set id_letters{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"};

// Matches a region: words of letters, followed by a number. Examples are "eu-west-1", "us-gov-east-1" and
// "ap-southeast-2".
bool is_region(std::string_view label) {
  constexpr character_set letters{"abcdefghijklmnopqrstuvwxyz-"}, digits{"0123456789"};
  const std::size_t dash = label.rfind('-');
  if (dash == std::string_view::npos || dash < 2) return false;
  const std::string_view words = label.substr(0, dash), number = label.substr(dash + 1);
  return words.find('-') == 2 && words.back() != '-' && letters.holds_all(words) && !number.empty() &&
         digits.holds_all(number);
}

}  // namespace

std::optional<aws_credentials> read_aws_credentials(const secret& key) {
  const std::string& text = key.reveal();
  const std::size_t first = text.find(separator);
  if (first == std::string::npos || first == 0 || !id_letters.holds_all(std::string_view(text).substr(0, first)))
    return std::nullopt;
  const std::size_t second = std::min(text.find(separator, first + 1), text.size());
  if (second == first + 1 || second + 1 == text.size()) return std::nullopt;
  if (second < text.size() && text.find(separator, second + 1) != std::string::npos) return std::nullopt;
  aws_credentials read{text.substr(0, first), secret(text.substr(first + 1, second - first - 1)), {}};
  if (second < text.size()) read.session_token = secret(text.substr(second + 1));
  return read;
}

secret one_key_of(const aws_credentials& credentials) {
  std::string key = credentials.access_key_id + separator + credentials.secret_key.reveal();
  if (!credentials.session_token.empty()) key += separator + credentials.session_token.reveal();
  return secret(std::move(key));
}

std::vector<secret> secrets_in(const secret& key) {
  std::vector<secret> all{key};
  const auto credentials = read_aws_credentials(key);
  if (!credentials) return all;
  all.push_back(credentials->secret_key);
  if (!credentials->session_token.empty()) all.push_back(credentials->session_token);
  return all;
}

std::string_view aws_region_of(std::string_view host) {
  while (!host.empty()) {
    const std::string_view label = host.substr(0, host.find('.'));
    if (is_region(label)) return label;
    host.remove_prefix(std::min(host.size(), label.size() + 1));
  }
  return {};
}

// Signatures for Bedrock's OpenAI-compatible service must contain that service's own name.
std::string_view aws_service_of(std::string_view host) {
  return host.starts_with("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";
}

}  // namespace photofinish::proxy
