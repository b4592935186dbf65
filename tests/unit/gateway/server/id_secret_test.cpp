// Tests the secret that signs the ids of stored responses. The secret is a file in the state folder.
#include "gateway/server/id_secret.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

class IdSecret : public ::testing::Test {
 protected:
  IdSecret() : folder(fs::temp_directory_path() / ("photofinish-id-secret-" + std::to_string(::getpid()))) { fs::remove_all(folder); }
  ~IdSecret() override { fs::remove_all(folder); }

  std::string read() { return id_secret_in((folder / "state").string()).reveal(); }

  fs::path folder;
};

TEST_F(IdSecret, IsMadeOnceForItsOwnerAlone) {
  const std::string made = read();
  EXPECT_EQ(made.size(), 32u);
  EXPECT_EQ(read(), made);
  const fs::path file = folder / "state" / "id_secret";
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "state"), fs::directory_iterator()), 1) << "nothing is left beside it";
}

// Several gateways create the secret file at the same time. In containers, they all have the same process id.
TEST_F(IdSecret, ThoseThatMakeItAtOnceEndWithOne) {
  constexpr int rounds = 20, gateways = 8;
  for (int round = 0; round < rounds; ++round) {
    const std::string state = (folder / std::to_string(round)).string();
    fs::create_directories(state);
    std::vector<std::string> read(gateways);
    std::atomic<int> ready = 0;
    std::vector<std::jthread> all;
    for (std::string& each : read)
      all.emplace_back([&each, &ready, &state] {
        ++ready;
        while (ready < gateways) std::this_thread::yield();
        each = id_secret_in(state).reveal();
      });
    all.clear();
    ASSERT_EQ(std::set(read.begin(), read.end()).size(), 1u) << "round " << round;
    ASSERT_EQ(std::distance(fs::directory_iterator(state), fs::directory_iterator()), 1) << "nothing is left beside it";
  }
}

TEST_F(IdSecret, IsOfThisRunAloneWithoutAFolder) {
  const std::string one = id_secret_in("").reveal(), other = id_secret_in("").reveal();
  EXPECT_EQ(one.size(), 32u);
  EXPECT_NE(one, other);
}

TEST_F(IdSecret, WhatIsNoSecretIsLeftAloneAndNotUsed) {
  fs::create_directories(folder / "state");
  std::ofstream(folder / "state" / "id_secret") << "short";
  EXPECT_EQ(read().size(), 32u);
  EXPECT_NE(read(), read());
  EXPECT_EQ(fs::file_size(folder / "state" / "id_secret"), 5u);
}

TEST_F(IdSecret, AFolderThatCannotBeMadeIsNoEnd) {
  std::ofstream(folder) << "a file";
  EXPECT_EQ(read().size(), 32u);
}

}  // namespace
}  // namespace photofinish::gateway
