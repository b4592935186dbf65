// Tests where the gateway looks for credentials that expire. It searches the settings, then the environment variables, then the machine.
#include "gateway/config/sources/config_parser.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

struct read_case {
  proxy::provider read;
  std::string problems;
  std::string places;  // descriptions of the places where credentials were found, separated by "; "
};

read_case read(const std::string& provider, const std::string& settings, const table_environment& machine) {
  const config_result result =
      parse_config("providers: {" + provider + ": {models: ['*']" + settings + "}}", "test.yaml", machine.machine());
  read_case made;
  for (const config_problem& problem : result.problems) made.problems += to_string(problem) + "\n";
  if (const auto found = result.settings.providers.find(provider); found != result.settings.providers.end())
    made.read = found->second;
  if (!made.read.key.credentials) return made;
  for (const auto& step : made.read.key.credentials->steps)
    made.places += (made.places.empty() ? "" : "; ") + describe(step);
  return made;
}

const std::string vertex = "vertex";
const table_environment google{.variables = {{"HOME", "/home/u"}, {"GOOGLE_CLOUD_LOCATION", "us-central1"}, {"GOOGLE_CLOUD_PROJECT", "p"}}};
const table_environment amazon{.variables = {{"HOME", "/home/u"}, {"AWS_REGION", "eu-west-1"}}};
const table_environment microsoft{.variables = {{"HOME", "/home/u"}, {"AZURE_RESOURCE_NAME", "r"}}};

table_environment with(table_environment machine, std::map<std::string, std::string> variables) {
  for (auto& [name, value] : variables) machine.variables[name] = value;
  return machine;
}

TEST(CredentialsConfig, ACloudsOwnAreUsedOnlyWhereTheFileAsksForThem) {
  EXPECT_FALSE(read(vertex, "", with(google, {{"GOOGLE_APPLICATION_CREDENTIALS", "/k.json"}})).read.key.credentials);
  EXPECT_FALSE(read("bedrock", "", amazon).read.key.credentials);
  EXPECT_FALSE(read("azure", "", microsoft).read.key.credentials);
  EXPECT_TRUE(read("bedrock", ", auth: aws", amazon).read.key.credentials);
  EXPECT_TRUE(read("bedrock", ", aws_profile: work", amazon).read.key.credentials);
}

TEST(CredentialsConfig, GooglesFileComesBeforeTheMetadataServer) {
  const auto usual = read(vertex, ", auth: google", google);
  EXPECT_EQ(usual.problems, "");
  EXPECT_EQ(usual.places, "the file /home/u/.config/gcloud/application_default_credentials.json; "
                          "Google's metadata server at http://169.254.169.254");
  EXPECT_TRUE(usual.read.has_own_key());
  const auto variable = read(vertex, ", auth: google", with(google, {{"GOOGLE_APPLICATION_CREDENTIALS", "/k.json"}}));
  EXPECT_EQ(variable.places, "the file /k.json (GOOGLE_APPLICATION_CREDENTIALS)");
  table_environment machine = google;
  machine.files["/own.json"] = "{}";
  EXPECT_EQ(read(vertex, ", auth: google, google_credentials: /own.json", machine).places, "the file /own.json (google_credentials)");
  EXPECT_EQ(read(vertex, ", auth: google", with(google, {{"GCE_METADATA_HOST", "127.0.0.1:8080"}, {"CLOUDSDK_CONFIG", "/g"}})).places,
            "the file /g/application_default_credentials.json; Google's metadata server at http://127.0.0.1:8080");
}

TEST(CredentialsConfig, AKeyOfTheFileCountsInTheirPlace) {
  const auto given = read(vertex, ", auth: google, api_key: ya29.token", google);
  EXPECT_EQ(given.problems, "");
  EXPECT_FALSE(given.read.key.credentials);
  EXPECT_EQ(given.read.key.value.reveal(), "ya29.token");
}

TEST(CredentialsConfig, EntraTakesAClientsSecretItsTokensFileOrTheMachines) {
  const std::map<std::string, std::string> client{{"AZURE_TENANT_ID", "t"}, {"AZURE_CLIENT_ID", "c"}};
  const auto secret = read("azure", ", auth: entra, entra_client_secret: s3cret, entra_tenant_id: t2", with(microsoft, client));
  EXPECT_EQ(secret.problems, "");
  EXPECT_EQ(secret.places, "the client c and its secret at https://login.microsoftonline.com");
  EXPECT_EQ(secret.read.key.credentials->steps[0].tenant, "t2");
  EXPECT_EQ(secret.read.key.credentials->scope, "https://cognitiveservices.azure.com/.default");
  auto federated = with(microsoft, client);
  federated.variables["AZURE_FEDERATED_TOKEN_FILE"] = "/var/token";
  EXPECT_EQ(read("azure", ", auth: entra", federated).places,
            "the client c with the token in /var/token at https://login.microsoftonline.com (AZURE_FEDERATED_TOKEN_FILE)");
  EXPECT_EQ(read("azure", ", auth: entra", microsoft).places, "the managed identity at http://169.254.169.254");
  EXPECT_EQ(read("azure", ", auth: entra", with(microsoft, {{"AZURE_OPENAI_API_KEY", "k"}})).read.key.value.reveal(), "")
      << "the file says otherwise than the variable";
}

TEST(CredentialsConfig, AwsAsksAsItsOwnSdksDo) {
  const auto usual = read("bedrock", ", auth: aws", amazon);
  EXPECT_EQ(usual.problems, "");
  EXPECT_EQ(usual.places, "the profile 'default' in /home/u/.aws/credentials and /home/u/.aws/config; "
                          "the instance's role (IMDSv2) at http://169.254.169.254");
  EXPECT_EQ(
      read("bedrock", ", auth: aws", with(amazon, {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "s"}})).read.key.value.reveal(),
      "AKIA:s");
  const auto ecs = read("bedrock", ", auth: aws",
                        with(amazon, {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/id?x=1"}, {"AWS_EC2_METADATA_DISABLED", "true"}}));
  EXPECT_EQ(ecs.places, "the profile 'default' in /home/u/.aws/credentials and /home/u/.aws/config; the container's credentials at "
                        "http://169.254.170.2/v2/id?x=1 (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)");
  EXPECT_EQ(read("bedrock", ", aws_profile: work", with(amazon, {{"AWS_BEARER_TOKEN_BEDROCK", "k"}, {"AWS_SHARED_CREDENTIALS_FILE", "/c"}})).places,
            "the profile 'work' in /c and /home/u/.aws/config (aws_profile)");
}

struct wrong_case {
  std::string name, provider, settings;
  std::map<std::string, std::string> variables;
  std::string says;
};

class CredentialsConfigWrong : public ::testing::TestWithParam<wrong_case> {};

TEST_P(CredentialsConfigWrong, IsExplained) {
  const wrong_case& each = GetParam();
  table_environment machine = with(with(google, amazon.variables), microsoft.variables);
  const auto got = read(each.provider, each.settings, with(machine, each.variables));
  EXPECT_NE(got.problems.find(each.says), std::string::npos) << got.problems;
}

INSTANTIATE_TEST_SUITE_P(
    All, CredentialsConfigWrong,
    ::testing::Values(
        wrong_case{"setting_of_another", "azure", ", api_key: k, google_credentials: /k", {}, "google_credentials: has no effect without auth: google"},
        wrong_case{"two_keys", "azure", ", auth: entra, api_key: k, entra_client_id: c", {}, "cannot be combined with `api_key`"},
        wrong_case{"profile_and_keys", "bedrock", ", aws_profile: p, aws_access_key_id: a, aws_secret_access_key: b", {}, "cannot be combined with `aws_profile`"},
        wrong_case{"file_is_not_there", "vertex", ", auth: google, google_credentials: /none", {}, "/none: there is no such file"},
        wrong_case{"two_ways", "azure", ", auth: entra, entra_client_secret: s, entra_token_file: /t", {}, "cannot be combined with `entra_client_secret`"},
        wrong_case{"no_tenant", "azure", ", auth: entra, entra_client_id: c, entra_client_secret: s", {}, "also needs `entra_tenant_id`"},
        wrong_case{"authority_without_tls", "azure", ", auth: entra, entra_client_id: c, entra_client_secret: s, entra_tenant_id: t",
                   {{"AZURE_AUTHORITY_HOST", "http://login.example.com"}}, "must be an https:// URL"},
        wrong_case{"container_elsewhere", "bedrock", ", auth: aws", {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://10.0.0.1/x"}},
                   "must be an https:// URL, or a URL on loopback"},
        wrong_case{"container_path", "bedrock", ", auth: aws", {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@evil.example.com/x"}}, "is not a path"},
        wrong_case{"metadata_server", "vertex", ", auth: google", {{"GCE_METADATA_HOST", "a b"}}, "GCE_METADATA_HOST"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(CredentialsConfig, AContainersServerMayBeOnThisMachineOrSpeakTls) {
  for (const char* url : {"http://127.0.0.1:99/x", "http://localhost/x", "http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/x", "https://keys.example.com/x"}) {
    const auto got = read("bedrock", ", auth: aws", with(amazon, {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", url}}));
    EXPECT_EQ(got.problems, "") << url;
    EXPECT_NE(got.places.find(url), std::string::npos) << got.places;
  }
}

}  // namespace
}  // namespace photofinish::gateway
