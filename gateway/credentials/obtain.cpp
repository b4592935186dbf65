#include "gateway/credentials/obtain.hpp"

#include "gateway/credentials/token_answer.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/providers/url.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;
using proxy::credential_place;

namespace {

constexpr std::chrono::seconds metadata_patience{3};
constexpr std::size_t longest_reason = 500;

asio::awaitable<obtaining> obtain_one(const proxy::credential_step& step, const proxy::credential_source& of,
                                      credential_io& io) {
  switch (step.place) {
    case credential_place::google_file:
    case credential_place::google_metadata: return obtain_google(step, of, io);
    case credential_place::entra_secret:
    case credential_place::entra_token_file:
    case credential_place::entra_imds: return obtain_entra(step, of, io);
    case credential_place::aws_profile:
    case credential_place::aws_container:
    case credential_place::aws_instance: break;
  }
  return obtain_aws(step, io);
}

}  // namespace

asio::awaitable<obtained_credential> obtain(const proxy::credential_source& source, credential_io& io) {
  obtained_credential all;
  for (std::size_t at = 0; at < source.steps.size(); ++at) {
    const proxy::credential_step& step = source.steps[at];
    obtaining one = co_await obtain_one(step, source, io);
    if (auto* got = std::get_if<obtained_key>(&one)) {
      all.got = std::move(*got);
      all.from = describe(step);
      co_return all;
    }
    const not_obtained& no = std::get<not_obtained>(one);
    const std::vector<proxy::secret> own{step.own};
    all.tried.append(all.tried.empty() ? "" : "; ").append(std::to_string(at + 1)).append(". ").append(describe(step));
    all.tried.append(": ").append(proxy::clean_text(proxy::redact(no.why, own), longest_reason));
    // The place exists, but it has refused to return a key. The following places are not tried, because their keys
    // would belong to another identity.
    if (!no.is_absent) break;
  }
  co_return all;
}

token_form& token_form::add(std::string_view name, std::string_view value) {
  text_.append(text_.empty() ? "" : "&").append(name).append("=").append(proxy::percent_encoded(value));
  return *this;
}

credential_request token_form::request(const proxy::base_url& at, std::string path,
                                       const proxy::credential_source& of) const {
  credential_request made{.at = at, .head = {}, .body = text_, .via = of.via};
  made.head.path = std::move(path);
  made.head.fields = {{"content-type", "application/x-www-form-urlencoded"}, {"accept", "application/json"}};
  return made;
}

credential_request metadata_request(const proxy::base_url& at, std::string path) {
  return {.at = at, .head = {.method = "GET", .path = at.path + std::move(path)}, .patience = metadata_patience};
}

asio::awaitable<obtaining> ask_for_token(credential_request request, unanswered means, credential_io& io) {
  auto said = co_await io.ask(std::move(request));
  if (!said) co_return not_obtained{said.error().detail, means == unanswered::absent};
  if (said->status != 200) co_return refused(refusal_text(said->status, said->body));
  co_return read_token(said->body, io.now());
}

void hide_secrets(std::span<const proxy::secret> sent, obtaining& got) {
  if (auto* no = std::get_if<not_obtained>(&got)) no->why = proxy::redact(no->why, sent);
}

}  // namespace photofinish::gateway
