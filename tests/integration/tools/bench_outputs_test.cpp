// Tests the output files of `photofinish bench`. They are checked before the load starts, and a run without a report leaves no file.
#include "gateway/commands/bench/bench_outputs.hpp"
#include "tests/support/gateway/running_simulator.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class BenchOutputs : public ::testing::Test {
 protected:
  BenchOutputs() {
    std::string name = (fs::temp_directory_path() / "photofinish-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~BenchOutputs() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string at(const char* name) const { return (folder_ / name).string(); }

  // Returns the report of a bench with one request.
  const bench::bench_run& measured() {
    auto planned = bench::make_plan({.concurrency = {1}, .requests = 1, .warmup = 0}, 1);
    auto to = bench::find_endpoint("http://127.0.0.1:" + std::to_string(provider_.port()), "",
                                   tests::table_environment{}.machine());
    run_ = std::make_unique<bench::bench_run>(bench::bench_setup{
        std::move(planned.plan), std::get<bench::endpoint>(std::move(to)), "m", {}, "test"});
    run_->run();
    EXPECT_EQ(run_->problem(), "");
    return *run_;
  }

 private:
  fs::path folder_;
  tests::running_simulator provider_;
  std::unique_ptr<bench::bench_run> run_;
};

TEST_F(BenchOutputs, AFileThatCannotBeWrittenIsFoundAtOnceAndNamed) {
  bench_outputs html({.html_file = at("no/such/folder.html")});
  EXPECT_EQ(html.open(), "--html: cannot write " + at("no/such/folder.html") + ": No such file or directory");
  bench_outputs json({.json_file = at("")});
  EXPECT_EQ(json.open(), "--json: cannot write " + at("") + ": Is a directory");
  std::ofstream(at("file")) << "x";
  bench_outputs folder({.folder = at("file")});
  EXPECT_EQ(folder.open().find("--output-dir: cannot create " + at("file") + ": "), 0u) << folder.open();
}

TEST_F(BenchOutputs, ARunWithoutAReportLeavesEverythingAsItWas) {
  std::ofstream(at("old.html")) << "the last report";
  {
    bench_outputs outputs({.folder = at("new"), .json_file = at("new.json"), .html_file = at("old.html")});
    ASSERT_EQ(outputs.open(), "");
  }
  EXPECT_EQ(text_of(at("old.html")), "the last report");
  EXPECT_FALSE(fs::exists(at("new.json")));
  EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(BenchOutputs, AReportReplacesWhatWasThere) {
  std::ofstream(at("old.json")) << std::string(100'000, 'x');
  {
    bench_outputs outputs({.folder = at("new"), .json_file = at("old.json"), .csv_file = "/dev/null"});
    ASSERT_EQ(outputs.open(), "");
    EXPECT_TRUE(outputs.write(written(measured())));
  }
  EXPECT_EQ(text_of(at("old.json")), text_of(at("new/bench.json")));
  EXPECT_EQ(text_of(at("old.json")).front(), '{');
  for (const char* name : {"new/bench.csv", "new/bench.html", "new/concurrency_1/profile_export.jsonl"})
    EXPECT_GT(fs::file_size(at(name)), 0u) << name;
}

TEST_F(BenchOutputs, AFullDiskIsNotCalledWritten) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  bench_outputs outputs({.json_file = "/dev/full"});
  ASSERT_EQ(outputs.open(), "");
  ::testing::internal::CaptureStderr();
  const bool is_written = outputs.write(written(measured()));
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("error: cannot write /dev/full: No space left"),
            std::string::npos);
  EXPECT_FALSE(is_written);
}

}  // namespace
}  // namespace photofinish::gateway
