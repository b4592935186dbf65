#include "gateway/credentials/google_file.hpp"

#include "gateway/config/sections/near_hosts.hpp"
#include "gateway/credentials/obtained.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/base64.hpp"

#include <nlohmann/json.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using problem = std::string;

constexpr const char* usual_token_url = "https://oauth2.googleapis.com/token";

template <auto free>
struct freed_by {
  void operator()(auto* owned) const { free(owned); }
};
using bio = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using private_key = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using signing = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Returns the URL if it uses TLS or refers to this machine. Other URLs are refused, because a secret is sent to the
// URL.
std::optional<webhook_url> url_of(const std::string& text) {
  const webhook_url_result read = parse_webhook_url(text);
  return read.url && is_safe_for_secrets(read.url->origin) ? read.url : std::nullopt;
}

problem bad_url(const char* member) {
  return std::string("its ") + member + " is not an https:// URL";
}

std::variant<google_credentials, problem> read_service_account(const json& file) {
  service_account read{text_of(file, "client_email"), text_of(file, "private_key_id"),
                       proxy::secret(text_of(file, "private_key")), {}, text_of(file, "token_uri")};
  if (read.email.empty() || read.private_key.empty()) return "the file has no client_email or no private_key";
  if (read.token_text.empty()) read.token_text = usual_token_url;
  const auto token = url_of(read.token_text);
  if (!token) return bad_url("token_uri");
  read.token = *token;
  return read;
}

std::variant<google_credentials, problem> read_user(const json& file) {
  authorized_user read{text_of(file, "client_id"), proxy::secret(text_of(file, "client_secret")),
                       proxy::secret(text_of(file, "refresh_token")), {}};
  if (read.client_id.empty() || read.client_secret.empty() || read.refresh_token.empty())
    return "the file has no client_id, client_secret or refresh_token: run gcloud auth application-default login";
  const std::string named = text_of(file, "token_uri");
  const auto token = url_of(named.empty() ? usual_token_url : named);
  if (!token) return bad_url("token_uri");
  read.token = *token;
  return read;
}

// Reads the part of a credential file that states where the external token comes from. Returns an error text, or an
// empty text.
problem read_subject(const json& source, external_account& into) {
  if (source.contains("environment_id") || source.contains("executable") || source.contains("certificate"))
    return "credential_source must be a file or a URL";
  into.file = text_of(source, "file");
  if (const std::string url = text_of(source, "url"); !url.empty()) {
    into.url = parse_webhook_url(url).url;
    if (!into.url || !is_near_or_safe(into.url->origin))
      return "the url of credential_source is neither an https:// URL nor the URL of a metadata server";
  }
  if (into.file.empty() == !into.url) return "credential_source must have either a file or a url";
  const json headers = source.value("headers", json::object());
  for (const auto& [name, value] : headers.items())
    if (value.is_string()) into.headers.emplace(name, value.get<std::string>());
  const json format = source.value("format", json::object());
  if (format.is_object() && text_of(format, "type") == "json")
    into.json_field = text_of(format, "subject_token_field_name");
  return {};
}

std::variant<google_credentials, problem> read_external(const json& file) {
  external_account read{.audience = text_of(file, "audience"),
                        .subject_token_type = text_of(file, "subject_token_type")};
  if (read.audience.empty() || read.subject_token_type.empty())
    return "the file has no audience or no subject_token_type";
  const auto token = url_of(text_of(file, "token_url"));
  if (!token) return bad_url("token_url");
  read.token = *token;
  const auto source = file.find("credential_source");
  if (source == file.end() || !source->is_object()) return "the file has no credential_source";
  if (problem why = read_subject(*source, read); !why.empty()) return why;
  if (const std::string url = text_of(file, "service_account_impersonation_url"); !url.empty()) {
    read.impersonation = url_of(url);
    if (!read.impersonation) return bad_url("service_account_impersonation_url");
  }
  return read;
}

std::string url_base64(std::string_view bytes) {
  std::string text = proxy::base64_encoded(bytes, proxy::base64_padding::unwanted);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

// Supplies no password. Without this function, OpenSSL would ask for a password on the terminal.
int no_password(char*, int, int, void*) { return 0; }

std::optional<std::string> rsa_sha256(const std::string& pem, const std::string& text) {
  const bio memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const private_key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, no_password, nullptr));
  const signing context(EVP_MD_CTX_new());
  std::size_t size = 0;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const bool is_ready = key && EVP_PKEY_is_a(key.get(), "RSA") == 1 &&
                        EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
                        EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  std::string made(size, '\0');
  auto* const signature = reinterpret_cast<unsigned char*>(made.data());
  const bool is_signed = is_ready && EVP_DigestSign(context.get(), signature, &size, bytes, text.size()) == 1;
  ERR_clear_error();  // clears OpenSSL's errors, which a later TLS call on this thread would otherwise report
  if (!is_signed) return std::nullopt;
  made.resize(size);
  return made;
}

}  // namespace

std::variant<google_credentials, std::string> read_google_file(std::string_view text) {
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object()) return "the file is not valid JSON";
  const std::string type = text_of(file, "type");
  if (type == "service_account") return read_service_account(file);
  if (type == "authorized_user") return read_user(file);
  if (type == "external_account") return read_external(file);
  return "the type '" + proxy::clean_text(type, 60) +
         "' is not supported; supported types are service_account, authorized_user and external_account";
}

std::optional<std::string> signed_assertion(const service_account& by, std::string_view scope,
                                            std::chrono::sys_seconds now) {
  constexpr std::chrono::seconds most = std::chrono::hours(1);  // the longest life of an assertion that Google accepts
  json head{{"alg", "RS256"}, {"typ", "JWT"}};
  if (!by.key_id.empty()) head["kid"] = by.key_id;
  const json claims{{"iss", by.email},
                    {"scope", scope},
                    {"aud", by.token_text},
                    {"iat", now.time_since_epoch().count()},
                    {"exp", (now + most).time_since_epoch().count()}};
  constexpr auto replaced = json::error_handler_t::replace;
  const std::string text = url_base64(head.dump(-1, ' ', false, replaced)) + "." +
                           url_base64(claims.dump(-1, ' ', false, replaced));
  const auto signature = rsa_sha256(by.private_key.reveal(), text);
  if (!signature) return std::nullopt;
  return text + "." + url_base64(*signature);
}

std::string subject_token(const external_account& of, std::string_view text) {
  if (of.json_field.empty()) return trimmed(text);
  const json read = json::parse(text, nullptr, false);
  return read.is_object() ? text_of(read, of.json_field.c_str()) : std::string();
}

std::vector<proxy::secret> secrets_in(const google_credentials& credentials) {
  if (const auto* account = std::get_if<service_account>(&credentials)) return {account->private_key};
  if (const auto* user = std::get_if<authorized_user>(&credentials)) return {user->client_secret, user->refresh_token};
  return {};
}

}  // namespace photofinish::gateway
