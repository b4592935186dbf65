// Obtains expiring keys by the protocols of AWS.
#include "gateway/credentials/obtain.hpp"

#include "gateway/credentials/aws_profile.hpp"
#include "gateway/credentials/token_answer.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/providers/url.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using proxy::credential_place;

asio::awaitable<obtaining> from_profile(const proxy::credential_step& step, credential_io& io) {
  const file_content keys = co_await io.read(step.file);
  const file_content settings = co_await io.read(step.second_file);
  if (!keys.problem.empty() && !settings.problem.empty())
    co_return absent(step.file + " " + keys.problem + ", " + step.second_file + " " + settings.problem);
  co_return read_aws_profile(keys.text, settings.text, step.name);
}

asio::awaitable<obtaining> keys_at(credential_request request, credential_io& io) {
  auto said = co_await io.ask(std::move(request));
  if (!said) co_return absent(said.error().detail);
  if (said->status != 200) co_return refused(refusal_text(said->status, said->body));
  co_return read_aws_keys(said->body, io.now());
}

asio::awaitable<obtaining> from_container(const proxy::credential_step& step, credential_io& io) {
  credential_request request = metadata_request(step.url, {});
  proxy::secret token = step.own;
  if (!step.file.empty()) {
    const file_content file = co_await io.read(step.file);
    if (!file.problem.empty()) co_return refused("the token file " + step.file + " " + file.problem);
    token = proxy::secret(trimmed(file.text));
  }
  if (!token.empty() && !is_header_value(token.reveal()))
    co_return refused("the token has characters that a header cannot contain");
  if (!token.empty()) request.head.fields = {{"authorization", token.reveal()}};
  obtaining got = co_await keys_at(std::move(request), io);
  hide_secrets({&token, 1}, got);
  co_return got;
}

// Gets the keys of an instance's role, only by IMDSv2: the gateway first requests a session token. This token protects
// the keys from an attacker who tricks a program into sending a request for them.
asio::awaitable<obtaining> from_instance(const proxy::credential_step& step, credential_io& io) {
  credential_request first = metadata_request(step.url, "/latest/api/token");
  first.head.method = "PUT";
  first.head.fields = {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}};
  auto session = co_await io.ask(std::move(first));
  if (!session) co_return absent(session.error().detail);
  if (session->status != 200) co_return refused("a session's token: " + refusal_text(session->status, session->body));
  const std::string token = trimmed(session->body);
  if (token.empty() || !is_sendable_key(token)) co_return refused("the answer contains no session token");
  const std::string roles = "/latest/meta-data/iam/security-credentials/";
  credential_request second = metadata_request(step.url, roles);
  second.head.fields = {{"x-aws-ec2-metadata-token", token}};
  auto named = co_await io.ask(std::move(second));
  if (!named) co_return refused(named.error().detail);
  if (named->status == 404) co_return absent("the instance has no role");
  if (named->status != 200) co_return refused(refusal_text(named->status, named->body));
  const std::string role = named->body.substr(0, named->body.find_first_of("\r\n"));
  if (role.empty()) co_return absent("the instance has no role");
  credential_request third = metadata_request(step.url, roles + proxy::percent_encoded(role));
  third.head.fields = {{"x-aws-ec2-metadata-token", token}};
  co_return co_await keys_at(std::move(third), io);
}

}  // namespace

asio::awaitable<obtaining> obtain_aws(const proxy::credential_step& step, credential_io& io) {
  switch (step.place) {
    case credential_place::aws_container: return from_container(step, io);
    case credential_place::aws_instance: return from_instance(step, io);
    default: return from_profile(step, io);
  }
}

}  // namespace photofinish::gateway
