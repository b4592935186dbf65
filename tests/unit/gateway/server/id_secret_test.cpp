// The secret of ids in the state folder.
#include "gateway/server/id_secret.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

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
