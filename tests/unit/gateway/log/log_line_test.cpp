// Tests the three formats of a log line. Whatever characters a name contains, it must stay on one line and in one field, and JSON must stay
// valid.
#include "gateway/log/log_line.hpp"

#include "gateway/log/log.hpp"
#include "tests/support/control_characters.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <spdlog/details/log_msg.h>
#include <spdlog/formatter.h>
#include <spdlog/spdlog.h>

#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

std::string line_in(log_form form, std::string_view model = "m") {
  log_line line(form, "request");
  line.word(log_field::outcome, "ok");
  line.number(log_field::status, "200");
  line.text(log_field::model, model);
  line.begin_attempt("groq/" + std::string(model), "won", "");
  line.number(log_field::ttft_ms, "2.5");
  line.begin_attempt("lab/m", "failed", "timeout");
  line.number(log_field::ms, "9.0");
  line.end_attempts();
  return std::move(line).take();
}

json parsed(const std::string& members) { return json::parse("{" + members + "}"); }

TEST(LogLine, HasTheSameFieldsInEachForm) {
  EXPECT_EQ(line_in(log_form::text),
            R"(request outcome=ok status=200 model=m attempts="groq/m won ttft_ms=2.5; lab/m failed/timeout ms=9.0")");
  EXPECT_EQ(line_in(log_form::logfmt), "event=" + line_in(log_form::text));
  const json expected = json::parse(R"({"event":"request","outcome":"ok","status":200,"model":"m","attempts":[
      {"target":"groq/m","outcome":"won","ttft_ms":2.5},
      {"target":"lab/m","outcome":"failed","reason":"timeout","ms":9.0}]})");
  EXPECT_EQ(parsed(line_in(log_form::json)), expected);
}

TEST(LogLine, IsWellFormedWhateverAModelIsCalled) {
  const std::vector<std::string> names{
      "two words", "quote\"s", "back\\slash", "line\nbreak", "tab\tnul" + std::string(1, '\0'), "\xff\xfe", "caf\xc3\xa9",
      "cut \xc3", "\xf0\x9f\x98\x80", std::string(199, 'x') + "\xc3\xa9", std::string(100'000, '"'), "a=b", "a;b", "", "{}",
      "\x7f", "\xed\xa0\x80"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name.substr(0, 40));
    ASSERT_TRUE(json::accept("{" + line_in(log_form::json, name) + "}"));
    for (const log_form form : {log_form::text, log_form::logfmt, log_form::json}) {
      const std::string line = line_in(form, name);
      EXPECT_EQ(line.find('\n'), std::string::npos);
      EXPECT_LT(line.size(), 2'000u);
    }
    const std::string logfmt = line_in(log_form::logfmt, name);
    EXPECT_EQ(parsed(line_in(log_form::json, name)).at("attempts").size(), 2u);
    EXPECT_NE(logfmt.find(" attempts=\"groq/"), std::string::npos);
    EXPECT_NE(logfmt.find("lab/m failed/timeout ms=9.0\""), std::string::npos);
  }
  EXPECT_EQ(parsed(line_in(log_form::json, "caf\xc3\xa9")).at("model"), "caf\xc3\xa9");
  EXPECT_EQ(parsed(line_in(log_form::json, "quote\"s")).at("model"), "quote\"s");
}

TEST(LogLine, HoldsNoCharacterThatATerminalObeys) {
  const std::string name = testing::all_control_characters();
  for (const log_form form : {log_form::text, log_form::logfmt, log_form::json})
    EXPECT_FALSE(testing::holds_control_character(line_in(form, name))) << line_in(form, name);
  EXPECT_EQ(parsed(line_in(log_form::json, name)).at("model"), name) << "JSON escapes them, so none is lost";
  EXPECT_EQ(line_in(log_form::text, "a\u009b\u202e").find("model=a?? "), line_in(log_form::text).find("model="));
}

TEST(LogLine, IsStillJsonWhereANumberIsNone) {
  log_line line(log_form::json, "request");
  line.number(log_field::usd, "nan");
  line.number(log_field::tok_s, "inf");
  line.number(log_field::ms, "1e-05");
  EXPECT_EQ(parsed(std::move(line).take()), json::parse(R"({"event":"request","usd":null,"tok_s":null,"ms":1e-05})"));
}

std::string usd_in_json(double value) {
  std::array<char, 64> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  log_line line(log_form::json, "request");
  line.number(log_field::usd, std::string_view(digits.data(), written.ptr));
  return std::move(line).take();
}

TEST(LogLine, IsJsonForEveryValueOfADouble) {
  using limits = std::numeric_limits<double>;
  for (const double value : {limits::quiet_NaN(), -limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
    EXPECT_EQ(usd_in_json(value), R"("event":"request","usd":null)") << value;
  for (const double value : {0.0, -0.5, 1e-300, limits::max(), limits::lowest(), limits::denorm_min()})
    EXPECT_EQ(parsed(usd_in_json(value)).at("usd").get<double>(), value);
}

std::string formatted(log_form form, std::string_view message) {
  spdlog::memory_buf_t out;
  make_log_formatter(form)->format(
      spdlog::details::log_msg("photofinish", spdlog::level::warn, spdlog::string_view_t(message.data(), message.size())), out);
  return {out.data(), out.size()};
}

TEST(LogMessage, HoldsNoCharacterThatATerminalObeys) {
  const std::string name = testing::all_control_characters();
  for (const log_form form : {log_form::text, log_form::logfmt, log_form::json})
    EXPECT_FALSE(testing::holds_control_character(formatted(form, name))) << formatted(form, name);
  const std::string two_lines = formatted(log_form::text, "one\ntwo");
  EXPECT_EQ(two_lines.find('\n'), two_lines.size() - 1) << "a stranger's text begins no line of the log";
}

TEST(LogMessage, IsOneFieldInTheFormsForMachines) {
  const std::string odd = "cannot \"read\"\nfile \xff, \"event\":\"request\"";
  const json read = json::parse(formatted(log_form::json, odd));
  EXPECT_EQ(read.at("level"), "warning");
  EXPECT_EQ(read.at("message"), "cannot \"read\"\nfile ?, \"event\":\"request\"");
  EXPECT_FALSE(read.contains("event"));
  EXPECT_EQ(read.at("time").get<std::string>().size(), std::string("2026-01-01T12:00:00.000000+00:00").size());
  const std::string logfmt = formatted(log_form::logfmt, "plain words");
  EXPECT_EQ(logfmt.substr(0, 5), "time=");
  EXPECT_NE(logfmt.find(" level=warning message=\"plain words\"\n"), std::string::npos) << logfmt;
  EXPECT_NE(formatted(log_form::text, "plain words").find(" warning plain words\n"), std::string::npos)
      << formatted(log_form::text, "plain words");
}

// The same formatter writes all lines, and reuses the cached beginning of the previous line.
TEST(LogMessage, HasItsOwnTimeAndLevel) {
  using std::chrono::microseconds;
  const auto second = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000));
  const auto formatter = make_log_formatter(log_form::text);
  const auto written = [&](auto time, spdlog::level::level_enum level) {
    spdlog::memory_buf_t out;
    formatter->format(spdlog::details::log_msg(time, spdlog::source_loc{}, "photofinish", level, "words"), out);
    const std::string line(out.data(), out.size());
    return line.substr(line.find(':') + 4);  // leaves out the hour and the minute, because they depend on the time zone
  };
  const std::string zone = written(second, spdlog::level::info).substr(9, 6);
  EXPECT_EQ(written(second + microseconds(7), spdlog::level::info), "20.000007" + zone + " info words\n");
  EXPECT_EQ(written(second + microseconds(999'999), spdlog::level::info), "20.999999" + zone + " info words\n");
  EXPECT_EQ(written(second + microseconds(3), spdlog::level::warn), "20.000003" + zone + " warning words\n");
  EXPECT_EQ(written(second + microseconds(1'000'004), spdlog::level::warn), "21.000004" + zone + " warning words\n");
}

TEST(LogFields, AreAllExplainedInTheDocument) {
  const std::string page = tests::source_file("docs/operating/log.md");
  for (const std::string_view name : log_field_names)
    EXPECT_NE(page.find("| `" + std::string(name) + "` | "), std::string::npos) << name;
}

}  // namespace
}  // namespace photofinish::gateway
