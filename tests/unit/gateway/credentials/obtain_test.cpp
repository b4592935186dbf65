// Tests how the gateway requests credentials that expire. Simulated servers are as strict as Google, Entra and AWS.
#include "tests/unit/gateway/credentials/played_tokens.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::credential_place;
using proxy::credential_source;
using proxy::credential_step;
using testing::token_question;

constexpr const char* google_scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr const char* entra_scope = "https://cognitiveservices.azure.com/.default";
constexpr const char* near = "http://169.254.169.254";

credential_step google_file(std::string path) { return {.place = credential_place::google_file, .file = std::move(path)}; }
credential_step google_metadata() { return {.place = credential_place::google_metadata, .url = at(near)}; }

credential_step entra_client(credential_place place) {
  return {.place = place, .url = at("https://login.microsoftonline.com"), .tenant = "tenant-1", .name = "client-1"};
}

class Obtain : public ::testing::Test {
 protected:
  Obtain() {
    serve("https://oauth2.googleapis.com", [this](const token_question& asked) { return world.tokens.google(asked); });
    serve("https://login.microsoftonline.com", [this](const token_question& asked) { return world.tokens.entra(asked); });
  }
  void serve(const std::string& origin, played_world::server by) { world.servers[origin] = std::move(by); }
  obtained_credential from(std::string scope, std::vector<credential_step> steps) {
    return obtain_from({std::move(scope), std::move(steps), via}, world);
  }
  static std::string key_of(const obtained_credential& made) { return made.got ? made.got->key.reveal() : made.tried; }

  played_world world;
  std::optional<proxy::forward_proxy> via;
};

TEST_F(Obtain, AServiceAccountSignsWhatGoogleChecks) {
  world.files["/key.json"] = world.tokens.service_account().dump();
  const auto made = from(google_scope, {google_file("/key.json")});
  EXPECT_EQ(key_of(made), "token-1");
  EXPECT_EQ(made.got->lives, std::chrono::seconds(3600));
  EXPECT_EQ(made.from, "the file /key.json");
}

TEST_F(Obtain, AnotherKeyIsRefusedAndTheErrorHasNoneOfIt) {
  testing::rsa_key other;
  auto account = world.tokens.service_account();
  account["private_key"] = other.pem();
  world.files["/key.json"] = account.dump();
  const auto made = from(google_scope, {google_file("/key.json"), google_metadata()});
  EXPECT_FALSE(made.got);
  EXPECT_EQ(made.tried, "1. the file /key.json: status 400: invalid_grant: Invalid JWT Signature.");
  EXPECT_EQ(world.asked.size(), 1u) << "the metadata server would give another identity";
}

TEST_F(Obtain, AKeyThatIsNoneOrHasAPasswordIsSaidToBe) {
  auto account = world.tokens.service_account();
  account["private_key"] = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  world.files["/key.json"] = account.dump();
  EXPECT_NE(from(google_scope, {google_file("/key.json")}).tried.find("not an RSA key"), std::string::npos);
  EXPECT_TRUE(world.asked.empty());
}

TEST_F(Obtain, AUsersRefreshTokenIsNotShownWhereItIsRefused) {
  world.files["/adc.json"] =
      R"({"type":"authorized_user","client_id":"user-client","client_secret":"user-secret","refresh_token":"user-refresh"})";
  EXPECT_EQ(key_of(from(google_scope, {google_file("/adc.json")})), "token-1");
  world.files["/adc.json"] =
      R"({"type":"authorized_user","client_id":"user-client","client_secret":"user-secret","refresh_token":"old-refresh"})";
  const auto made = from(google_scope, {google_file("/adc.json")});
  EXPECT_EQ(made.tried, "1. the file /adc.json: status 400: invalid_grant: Token has been revoked: [redacted]");
}

TEST_F(Obtain, AFederationsTokenIsExchangedAndImpersonates) {
  serve("https://sts.googleapis.com", [this](const token_question& asked) { return world.tokens.google(asked); });
  serve("https://iam.googleapis.com", [this](const token_question& asked) { return world.tokens.google_impersonation(asked); });
  world.files["/var/token"] = "subject\n";
  world.files["/var/token.json"] = R"({"id_token":"subject"})";
  const auto file = [](const std::string& source, const std::string& more) {
    return R"({"type":"external_account","audience":"//iam/pool","subject_token_type":"urn:ietf:params:oauth:token-type:jwt",)"
           R"("token_url":"https://sts.googleapis.com/v1/token","credential_source":)" + source + more + "}";
  };
  world.files["/external.json"] = file(R"({"file":"/var/token"})", "");
  EXPECT_EQ(key_of(from(google_scope, {google_file("/external.json")})), "token-1");
  world.files["/external.json"] = file(R"({"file":"/var/token.json","format":{"type":"json","subject_token_field_name":"id_token"}})",
                                       R"(,"service_account_impersonation_url":"https://iam.googleapis.com/v1/x:generateAccessToken")");
  EXPECT_EQ(key_of(from(google_scope, {google_file("/external.json")})), "impersonated");
  serve(near, [](const token_question& asked) {
    const bool is_right = asked.fields.contains("metadata") && asked.path == "/id?x=1";
    return is_right ? testing::token_reply{200, "subject"} : testing::token_reply{403, ""};
  });
  world.files["/external.json"] = file(R"({"url":"http://169.254.169.254/id?x=1","headers":{"metadata":"true"}})", "");
  EXPECT_EQ(key_of(from(google_scope, {google_file("/external.json")})), "token-3");
  world.files["/external.json"] = file(R"({"environment_id":"aws1"})", "");
  EXPECT_NE(from(google_scope, {google_file("/external.json")}).tried.find("must be a file or a URL"), std::string::npos);
}

TEST_F(Obtain, SecretsGoNowhereWithoutTls) {
  auto account = world.tokens.service_account();
  account["token_uri"] = "http://token.example.com/token";
  world.files["/key.json"] = account.dump();
  EXPECT_NE(from(google_scope, {google_file("/key.json")}).tried.find("its token_uri is not an https:// URL"), std::string::npos);
  EXPECT_TRUE(world.asked.empty());
}

TEST_F(Obtain, WithoutAFileTheMetadataServerIsAskedAndNearIsNotThroughAProxy) {
  via.emplace();
  serve(near, [this](const token_question& asked) { return world.tokens.google_metadata(asked); });
  EXPECT_EQ(key_of(from(google_scope, {google_file("/none.json"), google_metadata()})), "token-1");
  EXPECT_EQ(world.through_proxy, 0u);
  EXPECT_EQ(world.patience, std::vector{std::chrono::seconds(3)});
  world.files["/key.json"] = world.tokens.service_account().dump();
  EXPECT_EQ(key_of(from(google_scope, {google_file("/key.json")})), "token-2");
  EXPECT_EQ(world.through_proxy, 1u);
}

TEST_F(Obtain, WhatWasTriedIsSaidInItsOrder) {
  const auto made = from(google_scope, {google_file("/none.json"), google_metadata()});
  EXPECT_EQ(made.tried,
            "1. the file /none.json: there is no such file; 2. Google's metadata server at http://169.254.169.254: "
            "connect: connection refused");
}

TEST_F(Obtain, EntraTakesASecretAndAFederatedToken) {
  credential_step secret = entra_client(credential_place::entra_secret);
  secret.own = proxy::secret("s3cret+/=value");
  EXPECT_EQ(key_of(from(entra_scope, {secret})), "token-1");
  credential_step federated = entra_client(credential_place::entra_token_file);
  federated.file = "/var/run/secrets/token";
  world.files["/var/run/secrets/token"] = "federated\n";
  EXPECT_EQ(key_of(from(entra_scope, {federated})), "token-2");
  secret.own = proxy::secret("wrong-secret");
  const auto made = from(entra_scope, {secret});
  EXPECT_NE(made.tried.find("AADSTS7000215"), std::string::npos) << made.tried;
  EXPECT_EQ(made.tried.find("wrong-secret"), std::string::npos) << made.tried;
}

TEST_F(Obtain, AManagedIdentityIsAskedForItsResource) {
  serve(near, [this](const token_question& asked) { return world.tokens.entra_metadata(asked); });
  const auto made = from(entra_scope, {{.place = credential_place::entra_imds, .url = at(near), .name = "identity-1"}});
  EXPECT_EQ(key_of(made), "token-1");
  EXPECT_EQ(made.got->lives, std::chrono::seconds(3600)) << "expires_in is text there";
  EXPECT_TRUE(world.asked.at(0).ends_with("&client_id=identity-1"));
}

TEST_F(Obtain, AnInstancesRoleIsAskedByImdsV2) {
  world.tokens.expiration = "2026-09-21T15:16:40Z";  // one hour and 200 s after the time of the test's clock
  serve(near, [this](const token_question& asked) { return world.tokens.instance(asked); });
  const credential_step step{.place = credential_place::aws_instance, .url = at(near)};
  const auto made = from("", {step});
  EXPECT_EQ(key_of(made), "ASIAEXAMPLE1:secret/key+1:session/token==");
  ASSERT_TRUE(made.got);
  EXPECT_EQ(made.got->lives, std::chrono::seconds(3600 + 200));
  const std::vector<std::string> asked{"PUT http://169.254.169.254/latest/api/token",
                                       "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/",
                                       "GET http://169.254.169.254/latest/meta-data/iam/security-credentials/gateway-role"};
  EXPECT_EQ(world.asked, asked);
}

TEST_F(Obtain, AContainersTokenIsReadFromItsFileEachTime) {
  serve("http://169.254.170.23", [this](const token_question& asked) { return world.tokens.container(asked); });
  credential_step step{.place = credential_place::aws_container, .url = at("http://169.254.170.23"), .file = "/token"};
  step.url.path = "/v2/credentials/id?x=1";
  world.files["/token"] = "stale";
  EXPECT_NE(from("", {step}).tried.find("status 401: AccessDeniedException"), std::string::npos);
  world.files["/token"] = "container-token\n";
  EXPECT_EQ(key_of(from("", {step})), "ASIAEXAMPLE1:secret/key+1:session/token==");
  step.file.clear();
  step.own = proxy::secret("a\r\nb");
  EXPECT_NE(from("", {step}).tried.find("a header cannot contain"), std::string::npos);
}

TEST_F(Obtain, TokensThatHaveExpiredOrCannotBeSentAreNone) {
  serve(near, [](const token_question&) { return testing::token_reply{200, R"({"access_token":"a b","expires_in":10})"}; });
  EXPECT_NE(from(google_scope, {google_metadata()}).tried.find("a header cannot contain"), std::string::npos);
  serve(near, [](const token_question&) { return testing::token_reply{200, R"({"access_token":"a","expires_on":"1"})"}; });
  EXPECT_NE(from(google_scope, {google_metadata()}).tried.find("already expired"), std::string::npos);
  serve(near, [](const token_question&) { return testing::token_reply{200, "<html>"}; });
  EXPECT_NE(from(google_scope, {google_metadata()}).tried.find("no access_token"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
