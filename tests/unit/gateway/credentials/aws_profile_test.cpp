#include "gateway/credentials/aws_profile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace photofinish::gateway {
namespace {

std::string found(std::string_view keys, std::string_view settings, std::string_view name) {
  const obtaining read = read_aws_profile(keys, settings, name);
  if (const auto* got = std::get_if<obtained_key>(&read)) return got->key.reveal();
  const auto& no = std::get<not_obtained>(read);
  return (no.is_absent ? "absent: " : "refused: ") + no.why;
}

constexpr std::string_view keys_file =
    "# a comment\r\n[default]\r\naws_access_key_id = AKIADEFAULT\r\naws_secret_access_key = se=cret\r\n"
    "[work]\naws_access_key_id=AKIAWORK\naws_secret_access_key=other\naws_session_token=token==\n"
    "[half]\naws_access_key_id=AKIAHALF\n";
constexpr std::string_view settings_file =
    "[default]\nregion = eu-west-1\n[profile ops]\naws_access_key_id = AKIAOPS\naws_secret_access_key = ops\n"
    "s3 =\n  aws_secret_access_key = nested\n[profile role]\nrole_arn = arn:aws:iam::1:role/x\n[work]\naws_access_key_id = wrong\n";

TEST(AwsProfile, KeysComeFromEitherFile) {
  EXPECT_EQ(found(keys_file, settings_file, "default"), "AKIADEFAULT:se=cret");
  EXPECT_EQ(found(keys_file, settings_file, "work"), "AKIAWORK:other:token==");
  EXPECT_EQ(found(keys_file, settings_file, "ops"), "AKIAOPS:ops") << "what is indented belongs to another setting";
}

TEST(AwsProfile, AProfileThatIsNotThereIsAbsentAndOneWithARoleIsRefused) {
  EXPECT_TRUE(found(keys_file, settings_file, "none").starts_with("absent: "));
  EXPECT_TRUE(found(keys_file, settings_file, "half").starts_with("absent: "));
  EXPECT_TRUE(found("", "", "default").starts_with("absent: "));
  EXPECT_TRUE(found(keys_file, settings_file, "role").starts_with("refused: the profile's keys come from role_arn"));
}

TEST(AwsProfile, BrokenFilesHoldNothing) {
  EXPECT_TRUE(found("[default\naws_access_key_id", "[", "default").starts_with("absent: "));
  EXPECT_TRUE(found("[default]\naws_access_key_id=A B\naws_secret_access_key=x\n", "", "default").starts_with("refused: "));
}

}  // namespace
}  // namespace photofinish::gateway
