// Tests the file of statistics on a real disk. The gateway renames or refuses a file that it cannot read, and continues to run.
#include "gateway/housekeeping/stores/stats_file.hpp"

#include "gateway/housekeeping/stores/statistics.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const racing::wall_time noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

struct temporary_folder {
  temporary_folder() {
    std::string pattern = fs::temp_directory_path() / "photofinish_stats_XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~temporary_folder() { fs::remove_all(path); }
  std::string path;
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

housekeeping kept_in(const std::string& folder) { return {.state_dir = folder}; }

std::uint64_t answers(statistics& from, racing::wall_time now) {
  const auto report = from.report(now);
  const auto* target = report->find("p/m");
  return target ? target->all.speed.count : 0;
}

void note(statistics& into, int count, racing::wall_time now = noon) {
  for (int i = 0; i < count; ++i) into.note({"p/m", 10, 1, 0.2, std::nullopt, 100}, now);
}

TEST(StatsFile, StatisticsOutliveARestart) {
  const temporary_folder folder;
  const std::string deep = folder.path + "/a/b";
  {
    statistics first(kept_in(deep), noon);
    note(first, 30);
    first.close();
  }
  EXPECT_EQ(fs::status(deep + "/stats").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(deep + "/stats.new"));
  statistics second(kept_in(deep), noon + 1h);
  EXPECT_EQ(answers(second, noon + 1h), 30u);
  statistics much_later(kept_in(folder.path), noon + 100h);
  EXPECT_EQ(answers(much_later, noon + 100h), 0u);
}

TEST(StatsFile, AWriteThatFailedIsTriedAgainWithoutNews) {
  const temporary_folder folder;
  const std::string inner = folder.path + "/state";
  statistics it(kept_in(inner), noon);
  EXPECT_TRUE(it.is_kept()) << "nothing has failed";
  fs::remove_all(inner);
  note(it, 1);
  it.close();
  EXPECT_FALSE(it.is_kept());
  fs::create_directory(inner);
  it.close();
  EXPECT_TRUE(it.is_kept());
  EXPECT_TRUE(fs::exists(inner + "/stats"));
}

TEST(StatsFile, AFolderThatCannotBeUsedKeepsNothing) {
  const temporary_folder folder;
  std::ofstream(folder.path + "/file") << "no folder";
  statistics it(kept_in(folder.path + "/file"), noon);
  EXPECT_FALSE(it.is_kept());
}

TEST(StatsFile, OnlySavesWhenThereIsSomethingNew) {
  const temporary_folder folder;
  statistics it(kept_in(folder.path), noon);
  it.close();
  EXPECT_FALSE(fs::exists(folder.path + "/stats"));
  note(it, 1);
  it.close();
  const std::string bytes = content(folder.path + "/stats");
  EXPECT_FALSE(bytes.empty());
  fs::remove(folder.path + "/stats");
  it.close();
  EXPECT_FALSE(fs::exists(folder.path + "/stats"));
}

TEST(StatsFile, ABrokenOrForeignFileIsSetAside) {
  for (const char* bytes : {"", "not ours", "photofinish stats 9\nfuture", "photofinish stats 1\nshort"}) {
    const temporary_folder folder;
    std::ofstream(folder.path + "/stats") << bytes;
    statistics it(kept_in(folder.path), noon);
    EXPECT_EQ(content(folder.path + "/stats.broken"), bytes);
    EXPECT_FALSE(fs::exists(folder.path + "/stats"));
    note(it, 5);
    it.close();
    EXPECT_TRUE(fs::exists(folder.path + "/stats"));
    EXPECT_EQ(answers(it, noon), 5u);
  }
}

TEST(StatsFile, ATruncatedFileIsSetAside) {
  const temporary_folder folder;
  {
    statistics first(kept_in(folder.path), noon);
    note(first, 30);
    first.close();
  }
  fs::resize_file(folder.path + "/stats", fs::file_size(folder.path + "/stats") / 2);
  statistics second(kept_in(folder.path), noon);
  EXPECT_EQ(answers(second, noon), 0u);
  EXPECT_TRUE(fs::exists(folder.path + "/stats.broken"));
}

TEST(StatsFile, TwoGatewaysDoNotWriteOverEachOther) {
  const temporary_folder folder;
  statistics first(kept_in(folder.path), noon);
  statistics second(kept_in(folder.path), noon);
  note(second, 7);
  second.close();
  EXPECT_FALSE(fs::exists(folder.path + "/stats"));
  EXPECT_EQ(answers(second, noon), 7u) << "in memory it goes on";
}

TEST(StatsFile, AFolderThatCannotBeMadeIsNotFatal) {
  const temporary_folder folder;
  std::ofstream(folder.path + "/file") << "x";
  statistics it(kept_in(folder.path + "/file/below"), noon);
  note(it, 3);
  it.save();
  it.close();
  EXPECT_EQ(answers(it, noon), 3u);
}

// Limits the size of this process's files while this object exists.
struct little_room {
  explicit little_room(rlim_t bytes) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit little{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  ~little_room() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int);
};

TEST(StatsFile, ADiskThatIsFullLeavesTheOldFileAndIsTriedAgain) {
  const temporary_folder folder;
  statistics it(kept_in(folder.path), noon);
  note(it, 3);
  it.close();
  const std::string before = content(folder.path + "/stats");
  {
    const little_room full(10);
    note(it, 3);
    it.close();
  }
  EXPECT_EQ(content(folder.path + "/stats"), before);
  EXPECT_FALSE(fs::exists(folder.path + "/stats.new")) << "what was written in part takes no room";
  note(it, 3);
  it.close();
  EXPECT_NE(content(folder.path + "/stats"), before);
}

// If the path of the new file is a link or a pipe, the gateway must not write through the link or into the pipe.
TEST(StatsFile, ALinkOrAPipeInThePlaceOfTheNewFileIsReplaced) {
  const temporary_folder folder;
  const std::string fresh = folder.path + "/stats.new", precious = folder.path + "/precious";
  std::ofstream(precious) << "keep";
  statistics it(kept_in(folder.path), noon);
  fs::create_symlink(precious, fresh);
  note(it, 3);
  it.close();
  EXPECT_EQ(content(precious), "keep");
  ASSERT_EQ(::mkfifo(fresh.c_str(), 0600), 0);
  fs::remove(folder.path + "/stats");
  note(it, 3);
  it.close();  // close() must not wait until a reader opens the pipe
  EXPECT_TRUE(fs::is_regular_file(folder.path + "/stats"));
}

TEST(StatsFile, WhatIsNoRegularFileOfABoundedSizeIsSetAsideUnread) {
  const std::pair<const char*, std::function<void(const std::string&)>> kinds[] = {
      {"pipe", [](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }},
      {"folder", [](const std::string& path) { fs::create_directory(path); }},
      {"device", [](const std::string& path) { fs::create_symlink("/dev/zero", path); }},
      {"nowhere", [](const std::string& path) { fs::create_symlink("/nowhere/at/all", path); }},
      {"large", [](const std::string& path) {
         std::ofstream(path) << "x";
         fs::resize_file(path, 3ull << 30);  // a sparse file, which uses no space on the disk
       }},
  };
  for (const auto& [name, make] : kinds) {
    const temporary_folder folder;
    make(folder.path + "/stats");
    statistics it(kept_in(folder.path), noon);
    EXPECT_TRUE(fs::exists(fs::symlink_status(folder.path + "/stats.broken"))) << name;
    note(it, 5);
    it.close();
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder.path + "/stats"))) << name;
    EXPECT_EQ(answers(it, noon), 5u) << name;
  }
}

TEST(StatsFile, AClockThatIsWrongAtTheStartDestroysNothing) {
  const temporary_folder folder;
  {
    statistics first(kept_in(folder.path), noon);
    note(first, 30);
    first.close();
  }
  const std::string before = content(folder.path + "/stats");
  const racing::wall_time seventies{5min};
  {
    statistics it(kept_in(folder.path), seventies);
    EXPECT_EQ(answers(it, seventies), 30u) << "from the future: taken for new";
    it.shift(noon - seventies);  // simulates a correction of the clock to the present time
    it.expire(noon);
    EXPECT_EQ(answers(it, noon), 30u);
  }
  statistics it(kept_in(folder.path), noon + 24h * 365);
  EXPECT_EQ(answers(it, noon + 24h * 365), 0u) << "too old, as far as can be known";
  EXPECT_EQ(content(folder.path + "/stats.old"), before) << "and still there";
}

}  // namespace
}  // namespace photofinish::gateway
