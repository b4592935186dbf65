#include "metrics/open_metrics.hpp"

#include "metrics/exposition.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view trace = "0af7651916cd43dd8448eb211c80319c";
constexpr std::chrono::system_clock::time_point noted_at{1'700'000'000'250ms};

struct OpenMetrics : ::testing::Test {
  series_budget budget;
  shard worker{budget};
  exposition page{{"1.2.3", "abc123", "GCC \"12\""}, {&worker}};
  exemplars seen;

  void answer(seconds ttft) {
    worker.observe({.route = worker.declare_route("fast"), .client = worker.client("_none"), .ttft = ttft});
  }
  void note(const std::string& route, double value) {
    seen.note(trace, noted_at, std::vector<traced_value>{{&names::request_ttft, {route}, value}});
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  // Returns all lines of the metrics page that begin with this text.
  std::string lines(std::string_view beginning) {
    std::string found;
    for (const std::string& line : lines_of(page.page(true, seen).text))
      if (line.starts_with(beginning)) found += line + "\n";
    return found;
  }
};

TEST_F(OpenMetrics, AnExemplarStandsBehindItsBucketAndNoOther) {
  answer(120ms);
  note("fast", 0.12);
  const std::string series = "photofinish_request_ttft_seconds_bucket{route=\"fast\",le=\"";
  EXPECT_EQ(lines(series + "0.1\""), series + "0.1\"} 0\n");
  EXPECT_EQ(lines(series + "0.15\""), series + "0.15\"} 1 # {trace_id=\"" + std::string(trace) + "\"} 0.12 1700000000.250\n");
  EXPECT_EQ(lines(series + "+Inf\""), series + "+Inf\"} 1\n");
}

TEST_F(OpenMetrics, TheLastOfABucketIsShown) {
  answer(120ms);
  note("fast", 0.12);
  note("fast", 0.13);
  EXPECT_NE(lines("photofinish_request_ttft_seconds_bucket{route=\"fast\",le=\"0.15\"").find("} 0.13 "), std::string::npos);
}

TEST_F(OpenMetrics, BeyondTheLastEdgeItStandsAtInfinity) {
  answer(500s);
  note("fast", 500);
  EXPECT_NE(lines("photofinish_request_ttft_seconds_bucket{route=\"fast\",le=\"+Inf\"").find("} 500 "), std::string::npos);
}

TEST_F(OpenMetrics, CountersAreFamiliesWithoutTheirSuffix) {
  answer(120ms);
  note("fast", 0.12);
  EXPECT_EQ(lines("# TYPE photofinish_requests"), "# TYPE photofinish_requests counter\n");
  EXPECT_EQ(lines("photofinish_requests_total{route=\"fast\",endpoint=\"chat_completions\",client=\"_none\",outcome=\"ok\""),
            "photofinish_requests_total{route=\"fast\",endpoint=\"chat_completions\",client=\"_none\",outcome=\"ok\"} 1\n");
}

TEST_F(OpenMetrics, EndsWithItsMarkAndHasEachFamilyOnce) {
  answer(120ms);
  note("fast", 0.12);
  const auto all = lines_of(page.page(true, seen).text);
  EXPECT_EQ(all.back(), "# EOF");
  std::set<std::string> types;
  for (const std::string& line : all) {
    EXPECT_FALSE(line.empty());
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(types.insert(line).second) << line;
    }
  }
}

TEST_F(OpenMetrics, LabelValuesAreEscaped) {
  answer(120ms);
  note("fast", 0.12);
  EXPECT_NE(lines("photofinish_build_info").find("compiler=\"GCC \\\"12\\\"\""), std::string::npos);
}

TEST_F(OpenMetrics, HasTheSamplesOfTheOtherFormat) {
  answer(120ms);
  answer(3s);
  note("fast", 0.12);
  const auto names_of = [](const std::string& text) {
    std::set<std::string> names;
    for (std::string line : lines_of(text)) {
      if (line.starts_with('#')) continue;
      line = line.substr(0, line.find(" # "));
      names.insert(line.starts_with("process_") ? line.substr(0, line.find(' ')) : line);
    }
    return names;
  };
  EXPECT_EQ(names_of(page.page(true, seen).text), names_of(page.text()));
}

TEST_F(OpenMetrics, IsForScrapersThatTakeItAndPagesThatHaveExemplars) {
  answer(120ms);
  EXPECT_EQ(page.page(true, seen).content_type, exposition::content_type);
  note("fast", 0.12);
  EXPECT_EQ(page.page(false, seen).content_type, exposition::content_type);
  EXPECT_EQ(page.page(true, seen).content_type, open_metrics_type);
}

TEST_F(OpenMetrics, WhatThePageDoesNotHaveIsForgotten) {
  answer(120ms);
  note("made-up-by-a-client", 0.12);
  EXPECT_EQ(page.page(true, seen).text.find("trace_id"), std::string::npos);
  EXPECT_TRUE(seen.empty());
}

TEST_F(OpenMetrics, SeriesThatCallersMakeUpAreBounded) {
  for (std::size_t each = 0; each < exemplars::most_series; ++each) note("made-up-" + std::to_string(each), 0.12);
  note("fast", 0.12);
  const std::vector<std::string> fast{"fast"};
  EXPECT_EQ(seen.show(names::request_ttft.name, fast), nullptr);
  answer(120ms);
  page.page(true, seen);
  note("fast", 0.12);
  EXPECT_NE(seen.show(names::request_ttft.name, fast), nullptr);
}

TEST_F(OpenMetrics, WhatNoHistogramTakesIsNoExemplar) {
  note("fast", -1);
  note("fast", std::numeric_limits<double>::quiet_NaN());
  note("fast", std::numeric_limits<double>::infinity());
  EXPECT_TRUE(seen.empty());
}

TEST(TakesOpenMetrics, AsPrometheusAsks) {
  EXPECT_TRUE(takes_open_metrics("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"));
  EXPECT_FALSE(takes_open_metrics("text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
  EXPECT_FALSE(takes_open_metrics(""));
}

}  // namespace
}  // namespace photofinish::metrics
