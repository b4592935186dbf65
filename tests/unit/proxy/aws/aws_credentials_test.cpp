#include "proxy/aws/aws_credentials.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace photofinish::proxy {
namespace {

TEST(AwsCredentials, TravelAsOneKey) {
  const auto pair = read_aws_credentials(secret("AKIAEXAMPLE:wJalr/+="));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->access_key_id, "AKIAEXAMPLE");
  EXPECT_EQ(pair->secret_key.reveal(), "wJalr/+=");
  EXPECT_TRUE(pair->session_token.empty());
  const auto session = read_aws_credentials(secret("ASIAEXAMPLE:wJalr:token=="));
  ASSERT_TRUE(session);
  EXPECT_EQ(session->session_token.reveal(), "token==");
  EXPECT_EQ(one_key_of(*session).reveal(), "ASIAEXAMPLE:wJalr:token==");
  EXPECT_EQ(one_key_of(*pair).reveal(), "AKIAEXAMPLE:wJalr/+=");
}

TEST(AwsCredentials, OtherKeysAreNone) {
  for (const char* key : {"", "ABSKQmVkcm9ja0FQSUtleQ==", "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", ":secret", "AKIA:", "AKIA::token",
                          "AKIA:secret:", "AKIA:a:b:c", "not an id:secret"})
    EXPECT_FALSE(read_aws_credentials(secret(key))) << key;
}

TEST(AwsCredentials, EachSecretPartIsRedactedForItself) {
  const std::vector<secret> all = secrets_in(secret("ASIAEXAMPLE:wJalr:token=="));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].reveal(), "wJalr");
  EXPECT_EQ(all[2].reveal(), "token==");
  EXPECT_EQ(secrets_in(secret("sk-1")).size(), 1u);
}

TEST(AwsCredentials, AHostNamesItsRegion) {
  EXPECT_EQ(aws_region_of("bedrock-runtime.eu-central-1.amazonaws.com"), "eu-central-1");
  EXPECT_EQ(aws_region_of("bedrock-runtime-fips.us-gov-west-1.amazonaws.com"), "us-gov-west-1");
  EXPECT_EQ(aws_region_of("vpce-0a1b-cdef.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com"), "ap-southeast-2");
  EXPECT_EQ(aws_region_of("bedrock-mantle.us-east-1.api.aws"), "us-east-1");
  for (const char* host : {"127.0.0.1", "localhost", "proxy-1.example.com", "eu-1", "", "a..b"}) EXPECT_EQ(aws_region_of(host), "") << host;
}

TEST(AwsCredentials, AHostNamesItsService) {
  EXPECT_EQ(aws_service_of("bedrock-mantle.us-east-1.api.aws"), "bedrock-mantle");
  EXPECT_EQ(aws_service_of("bedrock-runtime.us-east-1.amazonaws.com"), "bedrock");
}

}  // namespace
}  // namespace photofinish::proxy
