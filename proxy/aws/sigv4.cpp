#include "proxy/aws/sigv4.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/providers/url.hpp"
#include "proxy/words/ascii.hpp"

#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view date_field = "x-amz-date", token_field = "x-amz-security-token";
constexpr std::string_view signature_field = "authorization";

// Fields that are not signed: they belong to the connection, or intermediaries may change them. AWS's own SDK
// leaves out the same fields.
constexpr std::array<std::string_view, 10> unsigned_fields{
    "authorization", "connection", "expect", "keep-alive", "te", "trailer", "transfer-encoding",
    "upgrade",       "user-agent", "x-amzn-trace-id"};

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string hex_sha256(std::string_view text) {
  sha256 sum;
  sum.add(text);
  return sum.hex();
}

std::string hmac(std::string_view key, std::string_view text) {
  std::string made(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), reinterpret_cast<unsigned char*>(made.data()), &size);
  made.resize(size);
  return made;
}

// Returns the path in the form that is signed: without empty segments and dot segments, and percent-encoded a second
// time.
std::string canonical_path(std::string_view path) {
  std::vector<std::string_view> kept;
  const bool has_end = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
    if (segment == ".." && !kept.empty()) kept.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") kept.push_back(segment);
  }
  std::string made;
  for (const std::string_view each : kept) {
    made += '/';
    append_percent_encoded(each, made);
  }
  if (made.empty() || has_end) made += '/';
  return made;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> all;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto& [name, value] = all.emplace_back();
    append_percent_encoded(percent_decoded(pair.substr(0, equals)), name);
    append_percent_encoded(percent_decoded(pair.substr(std::min(pair.size(), equals + 1))), value);
  }
  std::sort(all.begin(), all.end());
  std::string made;
  for (const auto& [name, value] : all) made.append(made.empty() ? "" : "&").append(name).append("=").append(value);
  return made;
}

// Replaces each run of spaces in a header's value by one space.
std::string folded(std::string_view value) {
  std::string made;
  for (const char each : trim_space(value))
    if (each != ' ' || !made.ends_with(' ')) made += each;
  return made;
}

// Returns the signed fields in the order of their names. Fields with the same name keep their order.
std::map<std::string, std::string> signed_fields_of(const request_head& head) {
  std::map<std::string, std::string> all{{"host", head.host}};
  for (const auto& [name, value] : head.fields) {
    const std::string lower = lower_case(name);
    const bool is_left = std::find(unsigned_fields.begin(), unsigned_fields.end(), lower) != unsigned_fields.end();
    if (is_left || lower.starts_with("proxy-")) continue;
    const auto [place, is_new] = all.try_emplace(lower, folded(value));
    if (!is_new) place->second.append(",").append(folded(value));
  }
  return all;
}

std::string names_of(const std::map<std::string, std::string>& fields) {
  std::string names;
  for (const auto& [name, value] : fields) names.append(names.empty() ? "" : ";").append(name);
  return names;
}

// Returns a time such as "20150830T123600Z".
std::string time_text(std::chrono::sys_seconds now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::string text;
  const auto add = [&text](long number, std::size_t digits) {
    const std::string written = std::to_string(number);
    text.append(digits - std::min(digits, written.size()), '0').append(written);
  };
  add(static_cast<int>(date.year()), 4);
  add(static_cast<unsigned>(date.month()), 2);
  add(static_cast<unsigned>(date.day()), 2);
  text += 'T';
  add(time.hours().count(), 2);
  add(time.minutes().count(), 2);
  add(time.seconds().count(), 2);
  return text + 'Z';
}

}  // namespace

sha256::sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

void sha256::add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

std::string sha256::hex() {
  std::string made(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(made.data()), &size);
  return hex_of(std::string_view(made).substr(0, size));
}

std::string canonical_request(const request_head& head, std::string_view body_hash) {
  const std::string_view target = head.path;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::map<std::string, std::string> fields = signed_fields_of(head);
  std::string made(head.method);
  made.append("\n").append(canonical_path(target.substr(0, mark))).append("\n");
  made.append(canonical_query(target.substr(std::min(target.size(), mark + 1)))).append("\n");
  for (const auto& [name, value] : fields) made.append(name).append(":").append(value).append("\n");
  return made.append("\n").append(names_of(fields)).append("\n").append(body_hash);
}

void sign_request(request_head& head, std::string_view body_hash, const aws_credentials& by, const aws_scope& scope,
                  std::chrono::sys_seconds now) {
  std::erase_if(head.fields, [](const auto& field) {
    return equals_ignoring_case(field.first, date_field) || equals_ignoring_case(field.first, token_field) ||
           equals_ignoring_case(field.first, signature_field);
  });
  const std::string time = time_text(now), day = time.substr(0, 8);
  head.fields.emplace_back(date_field, time);
  if (!by.session_token.empty()) head.fields.emplace_back(token_field, by.session_token.reveal());

  const std::string place = std::string(scope.region).append("/").append(scope.service).append("/aws4_request");
  std::string text(algorithm);
  text.append("\n").append(time).append("\n").append(day).append("/").append(place).append("\n");
  text += hex_sha256(canonical_request(head, body_hash));

  std::string key = hmac("AWS4" + by.secret_key.reveal(), day);
  for (const std::string_view each : {scope.region, scope.service, std::string_view("aws4_request")})
    key = hmac(key, each);
  std::string field(algorithm);
  field.append(" Credential=").append(by.access_key_id).append("/").append(day).append("/").append(place);
  field.append(", SignedHeaders=").append(names_of(signed_fields_of(head)));
  field.append(", Signature=").append(hex_of(hmac(key, text)));
  head.fields.emplace_back(signature_field, field);
}

}  // namespace photofinish::proxy
