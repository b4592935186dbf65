// Obtains expiring keys by the protocols of Entra.
#include "gateway/credentials/obtain.hpp"

#include "proxy/providers/url.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;
using proxy::credential_place;

// Returns the resource that belongs to a scope. Requests for a managed identity contain a resource, and requests for
// other identities contain a scope.
std::string resource_of(std::string_view scope) {
  constexpr std::string_view all = "/.default";
  return std::string(scope.ends_with(all) ? scope.substr(0, scope.size() - all.size()) : scope);
}

asio::awaitable<obtaining> from_metadata(const proxy::credential_step& step, const proxy::credential_source& of,
                                         credential_io& io) {
  std::string path = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=";
  path += proxy::percent_encoded(resource_of(of.scope));
  if (!step.name.empty()) path += "&client_id=" + proxy::percent_encoded(step.name);
  credential_request request = metadata_request(step.url, std::move(path));
  request.head.fields = {{"metadata", "true"}};
  return ask_for_token(std::move(request), unanswered::absent, io);
}

}  // namespace

asio::awaitable<obtaining> obtain_entra(const proxy::credential_step& step, const proxy::credential_source& of,
                                        credential_io& io) {
  if (step.place == credential_place::entra_imds) co_return co_await from_metadata(step, of, io);
  token_form form;
  form.add("grant_type", "client_credentials").add("client_id", step.name).add("scope", of.scope);
  proxy::secret shown = step.own;
  if (step.place == credential_place::entra_token_file) {
    const file_content file = co_await io.read(step.file);
    if (!file.problem.empty()) co_return absent(step.file + " " + file.problem);
    shown = proxy::secret(trimmed(file.text));
    if (shown.empty()) co_return refused("the file is empty");
    form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    form.add("client_assertion", shown.reveal());
  } else {
    form.add("client_secret", step.own.reveal());
  }
  const std::string path = step.url.path + "/" + proxy::percent_encoded(step.tenant) + "/oauth2/v2.0/token";
  credential_request request = form.request(step.url, path, of);
  obtaining got = co_await ask_for_token(std::move(request), unanswered::refused, io);
  hide_secrets({&shown, 1}, got);
  co_return got;
}

}  // namespace photofinish::gateway
