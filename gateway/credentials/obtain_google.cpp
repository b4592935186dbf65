// Obtains expiring keys by the protocols of Google.
#include "gateway/credentials/obtain.hpp"

#include "gateway/credentials/google_file.hpp"
#include "gateway/credentials/token_answer.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using proxy::credential_source;

// Gets a token by means of a credential file. The number of requests depends on the kind of file.
class file_token {
 public:
  file_token(const credential_source& of, credential_io& io) : of_(of), io_(io) {}

  asio::awaitable<obtaining> operator()(const service_account& by) {
    const auto assertion = signed_assertion(by, of_.scope, io_.now());
    if (!assertion) co_return refused("private_key is not an RSA key in PEM without a password");
    token_form form;
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer").add("assertion", *assertion);
    credential_request request = form.request(by.token.origin, by.token.path, of_);
    obtaining got = co_await ask_for_token(std::move(request), unanswered::refused, io_);
    hide_text(*assertion, got);
    co_return got;
  }

  asio::awaitable<obtaining> operator()(const authorized_user& by) {
    token_form form;
    form.add("grant_type", "refresh_token").add("client_id", by.client_id);
    form.add("client_secret", by.client_secret.reveal()).add("refresh_token", by.refresh_token.reveal());
    credential_request request = form.request(by.token.origin, by.token.path, of_);
    co_return co_await ask_for_token(std::move(request), unanswered::refused, io_);
  }

  asio::awaitable<obtaining> operator()(const external_account& by) {
    std::string problem;
    const std::string subject = co_await read_subject(by, problem);
    if (subject.empty()) co_return refused(std::move(problem));
    token_form form;
    form.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange").add("audience", by.audience);
    form.add("scope", of_.scope).add("requested_token_type", "urn:ietf:params:oauth:token-type:access_token");
    form.add("subject_token_type", by.subject_token_type).add("subject_token", subject);
    credential_request request = form.request(by.token.origin, by.token.path, of_);
    obtaining got = co_await ask_for_token(std::move(request), unanswered::refused, io_);
    hide_text(subject, got);
    const auto* token = std::get_if<obtained_key>(&got);
    if (!token || !by.impersonation) co_return got;
    credential_request second = impersonation(*by.impersonation, token->key);
    obtaining as_account = co_await ask_for_token(std::move(second), unanswered::refused, io_);
    hide_text(token->key.reveal(), as_account);
    co_return as_account;
  }

 private:
  // Removes the sent text from the reason for a refusal, because the reason may quote it.
  static void hide_text(const std::string& sent, obtaining& got) { hide_secrets(std::array{proxy::secret(sent)}, got); }

  asio::awaitable<std::string> read_subject(const external_account& by, std::string& problem) {
    std::string text;
    if (by.url) {
      credential_request request = metadata_request(by.url->origin, by.url->path);
      for (const auto& [name, value] : by.headers) request.head.fields.emplace_back(name, value);
      auto said = co_await io_.ask(std::move(request));
      problem = !said ? said.error().detail : said->status == 200 ? "" : refusal_text(said->status, said->body);
      if (problem.empty()) text = std::move(said->body);
      problem = "credential_source.url: " + problem;
    } else {
      file_content file = co_await io_.read(by.file);
      text = std::move(file.text);
      problem = by.file + " " + file.problem;
    }
    std::string subject = subject_token(by, text);
    if (subject.empty() && !text.empty()) problem = "the token of credential_source was not found at the configured "
                                                    "place";
    co_return subject;
  }

  credential_request impersonation(const webhook_url& at, const proxy::secret& token) const {
    const nlohmann::json body{{"scope", {of_.scope}}, {"lifetime", "3600s"}};
    credential_request made{.at = at.origin, .head = {}, .body = body.dump(), .via = of_.via};
    made.head.path = at.path;
    made.head.fields = {{"content-type", "application/json"}, {"authorization", "Bearer " + token.reveal()}};
    return made;
  }

  const credential_source& of_;
  credential_io& io_;
};

asio::awaitable<obtaining> from_metadata(const proxy::credential_step& step, credential_io& io) {
  credential_request request =
      metadata_request(step.url, "/computeMetadata/v1/instance/service-accounts/default/token");
  request.head.fields = {{"metadata-flavor", "Google"}};
  return ask_for_token(std::move(request), unanswered::absent, io);
}

}  // namespace

asio::awaitable<obtaining> obtain_google(const proxy::credential_step& step, const credential_source& of,
                                         credential_io& io) {
  if (step.place == proxy::credential_place::google_metadata) co_return co_await from_metadata(step, io);
  const file_content file = co_await io.read(step.file);
  if (!file.problem.empty()) co_return absent(file.problem);
  const auto read = read_google_file(file.text);
  if (const auto* problem = std::get_if<std::string>(&read)) co_return refused(*problem);
  const auto& credentials = std::get<google_credentials>(read);
  file_token ask(of, io);
  obtaining got = co_await std::visit(ask, credentials);
  hide_secrets(secrets_in(credentials), got);
  co_return got;
}

}  // namespace photofinish::gateway
