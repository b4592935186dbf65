// Simulates the token endpoints and metadata servers of Google, Entra and AWS. Each server refuses requests that violate the vendor's
// documentation, and states the reason.
#pragma once

#include "proxy/json/base64.hpp"

#include <nlohmann/json.hpp>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

struct token_question {
  std::string method;
  std::string path;  // path of the request with its query
  std::map<std::string, std::string> fields;  // header fields with their names in lower case
  std::string body;
};

struct token_reply {
  int status = 200;
  std::string body;
};

// The private key of a service account. It is generated once.
class rsa_key {
 public:
  rsa_key() : key_(EVP_RSA_gen(2048), EVP_PKEY_free) {}

  std::string pem() const {
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> to(BIO_new(BIO_s_mem()), BIO_free_all);
    PEM_write_bio_PrivateKey(to.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const long size = BIO_get_mem_data(to.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
  }

  bool has_signed(std::string_view text, std::string_view signature) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    const auto bytes = [](std::string_view of) { return reinterpret_cast<const unsigned char*>(of.data()); };
    return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
           EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text), text.size()) == 1;
  }

 private:
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
};

inline std::map<std::string, std::string> form_of(const std::string& body) {
  std::map<std::string, std::string> form;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('&', at), body.size());
    const std::string pair = body.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    std::string value;
    for (std::size_t i = equals + 1; equals != std::string::npos && i < pair.size(); ++i) {
      const bool is_code = pair[i] == '%' && i + 2 < pair.size();
      value += is_code ? static_cast<char>(std::stoi(pair.substr(i + 1, 2), nullptr, 16)) : pair[i];
      if (is_code) i += 2;
    }
    form[pair.substr(0, equals)] = value;
    at = end + 1;
  }
  return form;
}

// Simulates token endpoints. They issue the tokens NAME-1, NAME-2 and so on, one for each request.
class strict_tokens {
 public:
  using json = nlohmann::json;

  rsa_key key;
  std::string google_token_url = "https://oauth2.googleapis.com/token";
  std::int64_t now = 1'790'000'000;  // the time of the token endpoint's clock, in Unix seconds
  std::int64_t tolerance = 10;       // the permitted difference between two clocks, in seconds
  int lives = 3600;                  // the lifetime of tokens, in seconds

  json service_account() const {
    return {{"type", "service_account"},
            {"client_email", "gateway@project.iam.gserviceaccount.com"},
            {"private_key_id", "key-id-1"},
            {"private_key", key.pem()},
            {"token_uri", google_token_url}};
  }

  token_reply google(const token_question& asked) {
    if (asked.method != "POST" || field(asked, "content-type") != "application/x-www-form-urlencoded")
      return refused(400, "invalid_request", "a form is expected");
    auto form = form_of(asked.body);
    if (form["grant_type"] == "refresh_token") {
      const bool is_known = form["client_id"] == "user-client" && form["client_secret"] == "user-secret" && form["refresh_token"] == "user-refresh";
      return is_known ? given() : refused(400, "invalid_grant", "Token has been revoked: " + form["refresh_token"]);
    }
    if (form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange") {
      const bool is_known = form["subject_token"] == "subject" && form["audience"] == "//iam/pool" &&
                            form["scope"] == scope && form["subject_token_type"] == "urn:ietf:params:oauth:token-type:jwt" &&
                            form["requested_token_type"] == "urn:ietf:params:oauth:token-type:access_token";
      return is_known ? given() : refused(400, "invalid_grant", "the exchange is not allowed");
    }
    if (form["grant_type"] != "urn:ietf:params:oauth:grant-type:jwt-bearer") return refused(400, "unsupported_grant_type", form["grant_type"]);
    const std::string fault = fault_of(form["assertion"]);
    return fault.empty() ? given() : refused(400, "invalid_grant", fault);
  }

  // Simulates the impersonation of a service account. The request must carry the token that the earlier token exchange returned.
  token_reply google_impersonation(const token_question& asked) {
    const json body = json::parse(asked.body, nullptr, false);
    const bool is_right = asked.method == "POST" && field(asked, "authorization") == "Bearer " + name + "-" + std::to_string(count) &&
                          body.value("scope", json()) == json{scope} && body.value("lifetime", "") == "3600s";
    if (!is_right) return {403, R"({"error":{"code":403,"message":"Permission 'iam.serviceAccounts.getAccessToken' denied"}})"};
    return {200, json{{"accessToken", "impersonated"}, {"expireTime", "2099-01-01T00:00:00.123456Z"}}.dump()};
  }

  token_reply google_metadata(const token_question& asked) {
    if (field(asked, "metadata-flavor") != "Google") return {403, "Your client does not have permission"};
    if (asked.method != "GET" || asked.path != "/computeMetadata/v1/instance/service-accounts/default/token") return {404, ""};
    return given();
  }

  token_reply entra(const token_question& asked) {
    auto form = form_of(asked.body);
    if (asked.method != "POST" || asked.path != "/tenant-1/oauth2/v2.0/token") return refused(400, "invalid_tenant", "AADSTS90002");
    if (form["grant_type"] != "client_credentials" || form["client_id"] != "client-1") return refused(400, "unauthorized_client", "AADSTS700016");
    if (form["scope"] != "https://cognitiveservices.azure.com/.default") return refused(400, "invalid_scope", "AADSTS70011");
    const bool is_federated = form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" && form["client_assertion"] == "federated";
    if (is_federated || form["client_secret"] == "s3cret+/=value") return given();
    return refused(401, "invalid_client", "AADSTS7000215: Invalid client secret provided: " + form["client_secret"]);
  }

  token_reply entra_metadata(const token_question& asked) {
    if (field(asked, "metadata") != "true") return refused(400, "invalid_request", "Required metadata header not specified");
    const std::string wanted = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com";
    if (asked.method != "GET" || !asked.path.starts_with(wanted)) return refused(400, "invalid_resource", "AADSTS500011");
    ++count;
    return {200, json{{"access_token", name + "-" + std::to_string(count)}, {"expires_in", std::to_string(lives)}, {"token_type", "Bearer"}}.dump()};
  }

  token_reply instance(const token_question& asked) {
    const std::string roles = "/latest/meta-data/iam/security-credentials/";
    if (asked.path == "/latest/api/token") {
      const std::string life = field(asked, "x-aws-ec2-metadata-token-ttl-seconds");
      if (asked.method != "PUT" || life.empty() || std::stoi(life) < 1 || std::stoi(life) > 21600) return {400, ""};
      return {200, "session-token=="};
    }
    if (asked.method != "GET") return {405, ""};
    if (field(asked, "x-aws-ec2-metadata-token") != "session-token==") return {401, ""};
    if (asked.path == roles) return {200, "gateway-role"};
    return asked.path == roles + "gateway-role" ? aws_keys() : token_reply{404, ""};
  }

  token_reply container(const token_question& asked) {
    if (field(asked, "authorization") != "container-token") return {401, R"({"message":"AccessDeniedException: Invalid authorization container"})"};
    return asked.method == "GET" && asked.path == "/v2/credentials/id?x=1" ? aws_keys() : token_reply{404, ""};
  }

  std::string name = "token";
  int count = 0;
  std::string expiration = "2099-01-01T00:00:00Z";

 private:
  static constexpr const char* scope = "https://www.googleapis.com/auth/cloud-platform";

  static std::string field(const token_question& asked, const std::string& of) {
    const auto found = asked.fields.find(of);
    return found == asked.fields.end() ? "" : found->second;
  }

  token_reply given() {
    ++count;
    return {200, json{{"access_token", name + "-" + std::to_string(count)}, {"expires_in", lives}, {"token_type", "Bearer"}}.dump()};
  }

  token_reply aws_keys() {
    ++count;
    return {200, json{{"Code", "Success"}, {"AccessKeyId", "ASIAEXAMPLE" + std::to_string(count)}, {"SecretAccessKey", "secret/key+1"},
                      {"Token", "session/token=="}, {"Expiration", expiration}}.dump()};
  }

  static token_reply refused(int status, const std::string& error, const std::string& why) {
    return {status, json{{"error", error}, {"error_description", why}}.dump()};
  }

  static std::string decoded(std::string text) {
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    while (text.size() % 4 != 0) text += '=';
    return proxy::base64_decoded(text);
  }

  std::string fault_of(const std::string& assertion) const {
    const std::size_t first = assertion.find('.'), last = assertion.rfind('.');
    if (first == std::string::npos || first == last) return "Invalid JWT";
    if (assertion.find_first_of("+/=") != std::string::npos) return "Invalid JWT: not base64url";
    const json head = json::parse(decoded(assertion.substr(0, first)), nullptr, false);
    const json claims = json::parse(decoded(assertion.substr(first + 1, last - first - 1)), nullptr, false);
    if (!head.is_object() || !claims.is_object()) return "Invalid JWT";
    if (head.value("alg", "") != "RS256" || head.value("typ", "") != "JWT" || head.value("kid", "") != "key-id-1") return "Invalid JWT header";
    if (!key.has_signed(assertion.substr(0, last), decoded(assertion.substr(last + 1)))) return "Invalid JWT Signature.";
    if (claims.value("iss", "") != "gateway@project.iam.gserviceaccount.com") return "Invalid issuer";
    if (claims.value("scope", "") != scope) return "Invalid scope";
    if (claims.value("aud", "") != google_token_url) return "Invalid audience";
    const std::int64_t from = claims.value("iat", std::int64_t{0}), until = claims.value("exp", std::int64_t{0});
    if (from > now + tolerance || until <= now || until - from > 3600) return "Token must be a short-lived token";
    return {};
  }
};

}  // namespace photofinish::testing
