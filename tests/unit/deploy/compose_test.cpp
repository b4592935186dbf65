// Compares deploy/compose.yaml with the files that it mounts and configures. This test starts no container.
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace photofinish {
namespace {

namespace fs = std::filesystem;

const fs::path deploy = tests::source_root() / "deploy";

YAML::Node load(const fs::path& file) { return YAML::LoadFile((deploy / file).string()); }
YAML::Node services() { return load("compose.yaml")["services"]; }

// Returns the mounts of a service. The key is the path in the container, and the value is the source on the host.
std::map<std::string, std::string> mounts(const YAML::Node& service) {
  std::map<std::string, std::string> found;
  for (const auto& volume : service["volumes"]) {
    const auto text = volume.as<std::string>();
    const std::size_t colon = text.find(':');
    found.emplace(text.substr(colon + 1, text.find(':', colon + 1) - colon - 1), text.substr(0, colon));
  }
  return found;
}

// Returns the host of an address "http://host:port" or "host:port".
std::string host_of(std::string address) {
  if (const std::size_t scheme = address.find("://"); scheme != std::string::npos) address.erase(0, scheme + 3);
  return address.substr(0, address.find(':'));
}

bool has_flag(const YAML::Node& service, const std::string& flag) {
  return std::any_of(service["command"].begin(), service["command"].end(),
                     [&](const YAML::Node& each) { return each.as<std::string>() == flag; });
}

TEST(Compose, BringsTheFourUpTogether) {
  std::set<std::string> names;
  for (const auto& service : services()) names.insert(service.first.as<std::string>());
  EXPECT_EQ(names, (std::set<std::string>{"gateway", "prometheus", "alertmanager", "grafana"}));
}

TEST(Compose, BuildsTheGatewayFromOurDockerfile) {
  const YAML::Node build = services()["gateway"]["build"];
  const fs::path context = deploy / build["context"].as<std::string>();
  EXPECT_TRUE(fs::equivalent(context, tests::source_root()));
  EXPECT_TRUE(fs::exists(context / build["dockerfile"].as<std::string>()));
}

TEST(Compose, PinsEveryImageOfOthers) {
  const std::regex pinned(R"([\w/]+:v?\d+\.\d+\.\d+)");
  for (const auto& service : services()) {
    if (service.second["build"]) continue;
    EXPECT_TRUE(std::regex_match(service.second["image"].as<std::string>(), pinned)) << service.first;
  }
}

TEST(Compose, PublishesOnLoopbackAlone) {
  for (const auto& service : services())
    for (const auto& port : service.second["ports"])
      EXPECT_TRUE(port.as<std::string>().starts_with("127.0.0.1:")) << port;
}

TEST(Compose, MountsWhatExists) {
  std::set<std::string> volumes;
  for (const auto& volume : load("compose.yaml")["volumes"]) volumes.insert(volume.first.as<std::string>());
  for (const auto& service : services())
    for (const auto& [inside, source] : mounts(service.second)) {
      const bool is_there = source.starts_with(".") ? fs::exists(deploy / source) : volumes.contains(source);
      EXPECT_TRUE(is_there) << source << " for " << inside;
    }
}

TEST(Compose, EachServerReadsTheFileThatIsMountedForIt) {
  const auto of_prometheus = mounts(services()["prometheus"]);
  ASSERT_TRUE(of_prometheus.contains("/etc/prometheus/prometheus.yml"));
  EXPECT_TRUE(has_flag(services()["prometheus"], "--config.file=/etc/prometheus/prometheus.yml"));
  // Prometheus resolves rule_files relative to the folder of its configuration file.
  EXPECT_EQ(load("prometheus/prometheus.yml")["rule_files"][0].as<std::string>(), "rules/*.yml");
  EXPECT_EQ(of_prometheus.at("/etc/prometheus/rules"), "./prometheus/rules");

  ASSERT_TRUE(mounts(services()["alertmanager"]).contains("/etc/alertmanager/alertmanager.yml"));
  EXPECT_TRUE(has_flag(services()["alertmanager"], "--config.file=/etc/alertmanager/alertmanager.yml"));

  const auto of_grafana = mounts(services()["grafana"]);
  ASSERT_EQ(of_grafana.at("/etc/grafana/provisioning"), "./grafana/provisioning");
  const YAML::Node dashboards = load("grafana/provisioning/dashboards/photofinish.yaml")["providers"][0];
  EXPECT_EQ(of_grafana.at(dashboards["options"]["path"].as<std::string>()), "./grafana/dashboards");
}

TEST(Compose, ServersFindEachOtherByTheirNames) {
  const YAML::Node prometheus = load("prometheus/prometheus.yml");
  const YAML::Node scraped = prometheus["scrape_configs"][0];
  EXPECT_EQ(scraped["job_name"].as<std::string>(), "photofinish");
  EXPECT_EQ(host_of(scraped["static_configs"][0]["targets"][0].as<std::string>()), "gateway");
  const YAML::Node alerted = prometheus["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"][0];
  EXPECT_EQ(host_of(alerted.as<std::string>()), "alertmanager");
  for (const auto& source : load("grafana/provisioning/datasources/photofinish.yaml")["datasources"])
    EXPECT_EQ(host_of(source["url"].as<std::string>()), source["type"].as<std::string>());
}

TEST(Compose, EveryServiceIsCheckedWithWhatItsImageHolds) {
  for (const auto& service : services()) {
    const auto name = service.first.as<std::string>();
    const YAML::Node test = service.second["healthcheck"]["test"];
    ASSERT_TRUE(test.IsSequence()) << name;
    EXPECT_EQ(test[0].as<std::string>(), "CMD") << name << ": no image need have a shell";
    EXPECT_EQ(test[1].as<std::string>(), name == "gateway" ? "photofinish" : "wget") << name;
    if (name == "gateway") continue;
    // The URL must use the container's own port, which is the last number of the port mapping.
    const auto url = test[test.size() - 1].as<std::string>();
    const auto published = service.second["ports"][0].as<std::string>();
    EXPECT_EQ(url.rfind("http://127.0.0.1" + published.substr(published.rfind(':')) + "/", 0), 0u) << name;
  }
}

// Reads one setting of a health check. The setting may come from a YAML merge key (`<<`), with which several services share settings.
YAML::Node of_health(const YAML::Node& check, const std::string& name) {
  return check[name] ? check[name] : check["<<"][name];
}

TEST(Compose, AHealthCheckGivesUpBeforeTheNextOne) {
  for (const auto& service : services()) {
    const YAML::Node check = service.second["healthcheck"];
    const auto seconds = [&](const char* name) { return std::stoi(of_health(check, name).as<std::string>()); };
    EXPECT_LT(seconds("timeout"), seconds("interval")) << service.first;
    EXPECT_GT(seconds("timeout"), 3) << service.first << ": `photofinish health` waits three seconds itself";
  }
}

TEST(Compose, WhatNeedsAnotherWaitsUntilItIsHealthy) {
  std::map<std::string, std::set<std::string>> needs;
  for (const auto& service : services())
    for (const auto& each : service.second["depends_on"]) {
      EXPECT_EQ(each.second["condition"].as<std::string>(), "service_healthy") << service.first;
      EXPECT_TRUE(services()[each.first.as<std::string>()]["healthcheck"]) << each.first;
      needs[service.first.as<std::string>()].insert(each.first.as<std::string>());
    }
  EXPECT_EQ(needs["grafana"], std::set<std::string>{"prometheus"});
  EXPECT_EQ(needs["prometheus"], std::set<std::string>{"alertmanager"}) << "it watches a gateway that does not start";
}

TEST(Compose, TheGatewaysFolderIsMountedNotAFileInIt) {
  EXPECT_EQ(mounts(services()["gateway"]).at("/etc/photofinish"), "./config");
}

TEST(Compose, GrafanaKnowsHowOftenIsScraped) {
  const YAML::Node sources = load("grafana/provisioning/datasources/photofinish.yaml")["datasources"];
  EXPECT_EQ(sources[0]["jsonData"]["timeInterval"].as<std::string>(),
            load("prometheus/prometheus.yml")["global"]["scrape_interval"].as<std::string>());
}

TEST(Compose, GrafanaShowsTheOverviewToAnybodyAndLetsNobodyIn) {
  const YAML::Node environment = services()["grafana"]["environment"];
  EXPECT_EQ(environment["GF_AUTH_ANONYMOUS_ENABLED"].as<std::string>(), "true");
  EXPECT_EQ(environment["GF_AUTH_ANONYMOUS_ORG_ROLE"].as<std::string>(), "Viewer");
  EXPECT_EQ(environment["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"].as<std::string>(), "true");
  const fs::path home = environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"].as<std::string>();
  const auto of_grafana = mounts(services()["grafana"]);
  ASSERT_TRUE(of_grafana.contains(home.parent_path()));
  EXPECT_TRUE(fs::exists(deploy / of_grafana.at(home.parent_path()) / home.filename()));
}

TEST(Compose, PrometheusKeepsWhatTheBaselinesLookBackAt) {
  for (const auto& flag : services()["prometheus"]["command"]) {
    std::smatch days;
    const auto text = flag.as<std::string>();
    if (!std::regex_match(text, days, std::regex(R"(--storage\.tsdb\.retention\.time=(\d+)d)"))) continue;
    EXPECT_GT(std::stoi(days[1]), 7);
    return;
  }
  FAIL() << "no retention is set";
}

}  // namespace
}  // namespace photofinish
