#include "proxy/dialects/provider_head.hpp"

#include "proxy/aws/aws_credentials.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::string_view user_agent = "photofinish/" PHOTOFINISH_VERSION;

constexpr std::array<std::string_view, 9> framing_fields{
    "host",    "connection", "content-length", "transfer-encoding", "te",
    "trailer", "upgrade",    "expect",         "keep-alive"};

// The headers of a request. If the same header is added several times, only the first value is sent.
class field_list {
 public:
  explicit field_list(std::vector<std::pair<std::string, std::string>>& fields) : fields_(fields) {}

  void add(std::string_view name, std::string_view value) {
    for (const std::string_view framing : framing_fields)
      if (equals_ignoring_case(name, framing)) return;
    if (!has(name)) fields_.emplace_back(name, value);
  }

  bool has(std::string_view name) const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [name](const auto& field) { return equals_ignoring_case(name, field.first); });
  }

 private:
  std::vector<std::pair<std::string, std::string>>& fields_;
};

// True if the key is sent as a bearer token. AWS credentials are never sent. They are used later to sign the request.
bool is_bearer_token(const secret& key, auth_style auth) {
  if (key.empty()) return false;
  if (auth == auth_style::aws) return !read_aws_credentials(key);
  return auth == auth_style::bearer || auth == auth_style::google || auth == auth_style::entra;
}

}  // namespace

request_head provider_head(const provider& target, const secret& key, std::string_view path,
                           std::span<const header_field> own,
                           std::span<const std::pair<std::string, std::string>> forwarded) {
  request_head head{.path = target.url.path, .host = host_field(target.url), .fields = {}};
  head.path += path;
  head.fields.reserve(own.size() + 3 + target.headers.size() + forwarded.size());
  for (const auto& [name, value] : own) head.fields.emplace_back(name, value);
  head.fields.emplace_back("accept-encoding", "identity");
  if (is_bearer_token(key, target.key.auth))
    head.fields.emplace_back("authorization", "Bearer " + key.reveal());
  field_list fields(head.fields);
  if (!key.empty() && target.key.auth == auth_style::header) fields.add(target.key.header, key.reveal());
  for (const auto& [name, value] : target.headers) fields.add(name, value);
  for (const auto& [name, value] : forwarded) fields.add(name, value);
  if (!fields.has("user-agent")) head.fields.emplace_back("user-agent", user_agent);
  return head;
}

}  // namespace photofinish::proxy
