#include "gateway/config/sources/config_source.hpp"

#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

const table_environment everything{
    .variables = {{"PHOTOFINISH_CONFIG", "/etc/by-variable.yaml"}, {"GROQ_API_KEY", "g"}},
    .files = {{"by-flag.yaml", "workers: 1"},
              {"/etc/by-variable.yaml", "workers: 2"},
              {"photofinish.yaml", "workers: 3"}}};

TEST(ConfigSource, FlagBeatsVariableBeatsFolderBeatsNothing) {
  table_environment table = everything;
  EXPECT_EQ(find_config("by-flag.yaml", table.machine()).text, "workers: 1");
  EXPECT_EQ(find_config(std::nullopt, table.machine()).text, "workers: 2");
  EXPECT_EQ(find_config("", table.machine()).origin, config_origin::variable);
  table.variables["PHOTOFINISH_CONFIG"] = "";
  EXPECT_EQ(find_config(std::nullopt, table.machine()).text, "workers: 3");
  table.files.clear();
  EXPECT_EQ(find_config(std::nullopt, table.machine()).origin, config_origin::zero_config);
}

TEST(ConfigSource, AFileThatWasAskedForMustBeThere) {
  table_environment table = everything;
  table.variables["PHOTOFINISH_CONFIG"] = "/nope.yaml";
  for (const config_source& source :
       {find_config("nope.yaml", table.machine()), find_config({}, table.machine())}) {
    const config_result result = load_config(source, table.machine());
    EXPECT_FALSE(result.is_usable());
    ASSERT_EQ(result.problems.size(), 1u);
    EXPECT_EQ(to_string(result.problems[0]), source.file_name + ": error: there is no such file");
  }
}

TEST(ConfigSource, AFileInTheFolderThatCannotBeReadIsNotPassedOver) {
  environment machine = everything.machine();
  machine.read_variable = [](const std::string&) { return std::nullopt; };
  machine.read_file = [](const std::string&) { return file_content{{}, "cannot be read"}; };
  const config_source source = find_config(std::nullopt, machine);
  EXPECT_EQ(source.origin, config_origin::working_folder);
  EXPECT_FALSE(load_config(source, machine).is_usable());
}

TEST(ConfigSource, WithoutAFileTheEnvironmentDecides) {
  const table_environment table{.variables = {{"GROQ_API_KEY", "g"}}};
  const config_result result = load_config(find_config({}, table.machine()), table.machine());
  EXPECT_TRUE(result.settings.source.is_zero_config);
  EXPECT_TRUE(result.settings.providers.contains("groq"));
}

TEST(ConfigSource, ZeroConfigIsNotExposedEither) {
  const table_environment table{.variables = {{"GROQ_API_KEY", "g"}}};
  EXPECT_FALSE(load_config({}, table.machine(), {{"0.0.0.0", 7777}}).is_usable());
  const config_result safe = load_config({}, table.machine(), {{"127.0.0.1", 1234}});
  EXPECT_TRUE(safe.is_usable());
  EXPECT_EQ(safe.settings.server.listen, (std::vector<listen_address>{{"127.0.0.1", 1234}}));
}

}  // namespace
}  // namespace photofinish::gateway
