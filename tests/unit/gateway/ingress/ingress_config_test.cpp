// Tests the settings for TLS, address ranges and PROXY headers in a configuration.
#include "gateway/config/change/emptying.hpp"
#include "gateway/config/config_checks.hpp"
#include "gateway/config/sources/config_parser.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "tests/support/gateway/table_environment.hpp"
#include "tests/support/network/certificates.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace photofinish::gateway {
namespace {

using testing::certificate_pem;
using testing::key_pem;

struct front_files {
  const testing::test_authority authority;
  const testing::identity server = authority.issue(), other = authority.issue();
  const testing::identity old = authority.issue({.from_s = -7200, .until_s = -3600});
  tests::table_environment table{.files = {{"/c", certificate_pem(server) + authority.pem()},
                                           {"/k", key_pem(server)},
                                           {"/k2", key_pem(other)},
                                           {"/old", certificate_pem(old)},
                                           {"/k3", key_pem(old)},
                                           {"/reversed", authority.pem() + certificate_pem(server)},
                                           {"/unordered", certificate_pem(server) + certificate_pem(other)},
                                           {"/locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"},
                                           {"/ca", authority.pem()},
                                           {"/empty", ""}}};

  config_result read(const std::string& more) const {
    return parse_config("providers: {groq: {api_key: k, models: ['*']}}\n" + more, "test.yaml", table.machine());
  }
};

std::string problems_in(const config_result& result) {
  std::string all;
  for (const config_problem& each : result.problems) all += to_string(each) + "\n";
  return all;
}

TEST(FrontConfig, APairIsReadAndItsFilesAreWatched) {
  const config_result result = front_files().read(
      "tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: optional}\n"
      "allow_from: [10.0.0.0/8, '::1']\nproxy_protocol: true\ntrusted_proxies: [10.0.0.7]\n"
      "access_keys: [{name: a, cert_subject: CN=a}]\n");
  EXPECT_EQ(problems_in(result), "");
  const ingress_settings& read = result.settings.server.ingress;
  ASSERT_TRUE(read.tls.has_value());
  EXPECT_EQ(read.tls->clients, client_auth::optional);
  EXPECT_GT(read.tls->expires.time_since_epoch().count(), 1'600'000'000);
  EXPECT_EQ(read.allow_from.size(), 2u);
  EXPECT_TRUE(read.proxy_protocol);
  EXPECT_EQ(result.settings.source.watched_files, (std::vector<std::string>{"/c", "/k", "/ca"}));
  const std::string name = "CN=a";
  EXPECT_EQ(result.settings.access.keys.find_certificate(std::span(&name, 1)), &result.settings.access.keys[0]);
}

TEST(FrontConfig, WhatDoesNotFitIsSaidWithItsPlaceAndWhatToDo) {
  const front_files files;
  struct row {
    std::string text, expected;
  };
  const std::string asks = "tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: require}\n"
                           "access_keys: [{name: a";
  const row rows[] = {
      {"tls: {cert_file: /c, key_file: /k2}", "key_file: is not the key of the first certificate of cert_file"},
      {"tls: {cert_file: /reversed, key_file: /k}", "put the server's own certificate first"},
      {"tls: {cert_file: /unordered, key_file: /k}", "certificate 2 of the file did not issue certificate 1"},
      {"tls: {cert_file: /none, key_file: /k}", "cert_file: /none: there is no such file"},
      {"tls: {cert_file: /k, key_file: /k}", "cert_file: contains no certificate in PEM"},
      {"tls: {cert_file: /c, key_file: /c}", "key_file: contains no private key in PEM"},
      {"tls: {cert_file: /c, key_file: /locked}", "key_file: is encrypted"},
      {"tls: {cert_file: /c}", "key_file is missing"},
      {"tls: {cert_file: /c, key_file: /k, client_auth: require}", "client_auth: needs `client_ca_file`"},
      {"tls: {cert_file: /c, key_file: /k, client_auth: require, client_ca_file: /empty}", "client_ca_file: contains no certificate"},
      {"tls: {cert_file: /c, key_file: /k, client_ca_file: /ca}", "client_ca_file: has no effect without `client_auth"},
      {"tls: {cert_file: /c, key_file: /k, admin: true}", "admin: has no effect without an `admin` address"},
      {"access_keys: [{name: a, cert_subject: CN=a}]", "cert_subject: needs `tls` with `client_auth"},
      {asks + ", cert_subject: batch}]", "cert_subject: is not a valid certificate name"},
      {asks + ", cert_subject: /O=Example/CN=batch}]", "cert_subject: is not a valid certificate name"},
      {asks + ", cert_subject: 'CN = batch, O = Example'}]", "cert_subject: is not a valid certificate name"},
      {asks + ", cert_subject: 'subject=CN=batch'}]", "cert_subject: is not a valid certificate name"},
      {"allow_from: [10.1.2.3/8]", "allow_from: '10.1.2.3/8' has bits after its prefix: write 10.0.0.0/8"},
      {"proxy_protocol: true", "proxy_protocol: needs `trusted_proxies`"},
      {"trusted_proxies: ['::/0']", "trusted_proxies: contains every address"},
  };
  for (const row& each : rows) {
    const std::string found = problems_in(files.read(each.text + "\n"));
    EXPECT_NE(found.find(each.expected), std::string::npos) << each.text << "\n" << found;
    EXPECT_EQ(found.find("PRIVATE KEY-----\n"), std::string::npos);
  }
}

TEST(FrontConfig, ACertificateThatHasExpiredIsServedWithAWarning) {
  const front_files files;
  const auto load = [&](const std::string& pair) {
    const std::string text = "providers: {groq: {api_key: k, models: ['*']}}\ntls: {" + pair + "}\n";
    return load_config({.origin = config_origin::flag, .file_name = "a.yaml", .text = text, .problem = {}}, files.table.machine());
  };
  const config_result late = load("cert_file: /old, key_file: /k3"), good = load("cert_file: /c, key_file: /k");
  EXPECT_TRUE(late.is_usable());
  EXPECT_EQ(problems_in(late), "a.yaml: warning: the certificate of tls.cert_file has expired: clients that check certificates refuse "
                               "to connect\n");
  EXPECT_EQ(problems_in(good), "");
}

TEST(FrontConfig, NamesThatCertificatesHaveAreTakenAsTheyAre) {
  for (const char* name : {"CN=a", "'CN=a,O=Example\\, Inc'", "'DNS:a.example.com'", "'URI:spiffe://example.com/a'", "'email:a@b.c'"})
    EXPECT_EQ(problems_in(front_files().read("tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: require}\n"
                                             "access_keys: [{name: a, cert_subject: " + std::string(name) + "}]\n")), "");
}

TEST(FrontConfig, OneNameOfACertificateIsOneKeys) {
  const std::string found = problems_in(front_files().read(
      "tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: require}\n"
      "access_keys: [{name: a, cert_subject: CN=x}, {name: b, cert_subject: CN=x}]\n"));
  EXPECT_NE(found.find("cert_subject: is also the name of 'a'"), std::string::npos) << found;
}

TEST(FrontConfig, RequiredCertificatesKeepStrangersOutAsKeysDo) {
  const front_files files;
  const std::string everywhere = "listen: 0.0.0.0:7777\n";
  const std::string pair = "cert_file: /c, key_file: /k, client_ca_file: /ca";
  EXPECT_TRUE(files.read(everywhere + "tls: {" + pair + ", client_auth: require}\n").is_usable());
  EXPECT_FALSE(files.read(everywhere + "tls: {" + pair + ", client_auth: optional}\n").is_usable());
}

TEST(FrontConfig, AReloadDoesNotOpenTheFrontByAccident) {
  const front_files files;
  const std::string closed = "tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: require}\n";
  const config running = files.read(closed + "allow_from: [10.0.0.0/8]\n").settings;
  EXPECT_FALSE(emptying_problem(running, running).has_value());
  const auto without_tls = emptying_problem(running, files.read("allow_from: [10.0.0.0/8]\n").settings);
  EXPECT_NE(without_tls.value_or("").find("tls (clients could then connect without TLS)"), std::string::npos);
  const auto without_list = emptying_problem(running, files.read(closed).settings);
  EXPECT_NE(without_list.value_or("").find("allow_from"), std::string::npos);
  const auto optional = emptying_problem(
      running, files.read("tls: {cert_file: /c, key_file: /k, client_ca_file: /ca, client_auth: optional}\n"
                          "allow_from: [10.0.0.0/8]\n").settings);
  EXPECT_NE(optional.value_or("").find("client_auth: require"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway
