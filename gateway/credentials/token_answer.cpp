#include "gateway/credentials/token_answer.hpp"

#include "gateway/http/header_names.hpp"
#include "proxy/aws/aws_credentials.hpp"
#include "proxy/failures/retry_after.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using std::chrono::seconds;

// a key with a longer life is renewed after this time
constexpr seconds longest_life = std::chrono::hours(48);
constexpr std::size_t longest_refusal = 400;

std::string text_of(const json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const auto found = object.find(name); found != object.end() && found->is_string()) return *found;
  return {};
}

json parsed(std::string_view body) {
  json read = json::parse(body, nullptr, false);
  return read.is_object() ? read : json();
}

// Accepts 3599, "3599" and 3599.5.
std::optional<seconds> seconds_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) {
    const auto value = found->get<double>();
    return value >= 0 && value < 1e9 ? std::optional(seconds(static_cast<std::int64_t>(value))) : std::nullopt;
  }
  if (!found->is_string()) return std::nullopt;
  const auto value = proxy::parse_number<std::int64_t>(found->get_ref<const std::string&>());
  return value && *value >= 0 ? std::optional(seconds(*value)) : std::nullopt;
}

std::optional<seconds> seconds_until(const std::string& text, std::chrono::sys_seconds now) {
  const auto when = proxy::read_rfc3339(text);
  return when ? std::optional(*when - now) : std::nullopt;
}

obtaining made(std::string key, std::optional<seconds> lives) {
  if (!is_sendable_key(key)) return refused("the token has characters that a header cannot contain");
  if (lives && lives->count() <= 0) return refused("the token has already expired: check this machine's clock");
  if (lives) lives = std::min(*lives, longest_life);
  return obtained_key{proxy::secret(std::move(key)), lives};
}

}  // namespace

obtaining read_token(std::string_view body, std::chrono::sys_seconds now) {
  const json said = parsed(body);
  std::string token = said.is_object() ? text_of(said, {"access_token", "accessToken"}) : "";
  if (token.empty()) return refused("the answer has no access_token");
  auto lives = seconds_of(said, "expires_in");
  if (const auto when = seconds_of(said, "expires_on"); !lives && when) lives = *when - now.time_since_epoch();
  if (!lives) lives = seconds_until(text_of(said, {"expireTime"}), now);
  return made(std::move(token), lives);
}

obtaining read_aws_keys(std::string_view body, std::chrono::sys_seconds now) {
  const json said = parsed(body);
  if (!said.is_object()) return refused("the answer is not JSON");
  if (const std::string code = text_of(said, {"Code"}); !code.empty() && code != "Success")
    return refused(code + ": " + text_of(said, {"Message"}));
  const proxy::aws_credentials keys{text_of(said, {"AccessKeyId"}), proxy::secret(text_of(said, {"SecretAccessKey"})),
                                    proxy::secret(text_of(said, {"Token"}))};
  const proxy::secret key = proxy::one_key_of(keys);
  if (!proxy::read_aws_credentials(key)) return refused("the answer has no AccessKeyId and SecretAccessKey");
  return made(key.reveal(), seconds_until(text_of(said, {"Expiration"}), now));
}

std::string refusal_text(int status, std::string_view body) {
  std::string text = "status " + std::to_string(status);
  const json said = parsed(body);
  std::string why = said.is_object() ? text_of(said, {"error", "Code", "code"}) : "";
  const auto add = [&why](const std::string& more) {
    if (!more.empty()) why += (why.empty() ? "" : ": ") + more;
  };
  if (said.is_object()) {
    add(text_of(said, {"error_description", "Message", "message"}));
    if (const auto nested = said.find("error"); nested != said.end() && nested->is_object())
      add(text_of(*nested, {"message"}));
  }
  if (!why.empty()) text += ": " + proxy::clean_text(why, longest_refusal);
  return text;
}

}  // namespace photofinish::gateway
