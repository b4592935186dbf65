// Tests that the gateway reads regular files, and immediately refuses pipes and other special files.
#include "gateway/process/regular_file.hpp"

#include <gtest/gtest.h>

#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace photofinish::gateway {
namespace {

namespace fs = std::filesystem;

struct RegularFileTest : ::testing::Test {
  RegularFileTest() {
    std::string pattern = fs::temp_directory_path() / "photofinish_file_XXXXXX";
    path = std::string(::mkdtemp(pattern.data())) + "/it";
  }
  ~RegularFileTest() override { fs::remove_all(fs::path(path).parent_path()); }

  std::string problem() const { return read_regular_file(path, 100).problem; }
  std::string path;
};

TEST_F(RegularFileTest, IsReadToItsEndWithinTheLimit) {
  std::ofstream(path) << std::string(100, 'x');
  EXPECT_EQ(read_regular_file(path, 100).text, std::string(100, 'x'));
  EXPECT_EQ(problem(), "");
  std::ofstream(path, std::ios::app) << "x";
  EXPECT_EQ(problem(), "is larger than 100B, the limit");
}

TEST_F(RegularFileTest, OfNoAnnouncedSizeIsBoundedToo) {
  EXPECT_EQ(read_regular_file("/proc/self/status", 10).problem, "is larger than 10B, the limit");
  EXPECT_FALSE(read_regular_file("/proc/self/status", 1 << 20).text.empty());
}

// On a file system in memory, file permissions are not checked. Therefore the expected result depends on the file system.
TEST_F(RegularFileTest, ThatEveryUserCanReadIsKnown) {
  std::ofstream(path) << "x";
  struct statfs facts{};
  ASSERT_EQ(::statfs(path.c_str(), &facts), 0);
  const bool is_in_memory = facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC;
  const auto is_open = [this] { return read_regular_file(path, 100).is_open_to_all; };
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_FALSE(is_open()) << "its folder is closed";
  ASSERT_EQ(::chmod(fs::path(path).parent_path().c_str(), 0755), 0);
  EXPECT_EQ(is_open(), !is_in_memory);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_FALSE(is_open());
}

TEST_F(RegularFileTest, ThatIsMissingOrForbiddenSaysSo) {
  EXPECT_EQ(problem(), "there is no such file");
  std::ofstream(path) << "x";
  fs::permissions(path, fs::perms::none);
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  EXPECT_EQ(problem(), "cannot be read: no permission for the user that runs the gateway");
}

TEST_F(RegularFileTest, IsNotAFolderAPipeADeviceOrASocket) {
  fs::create_directory(path);
  EXPECT_EQ(problem(), "is a folder, not a file");
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(problem(), "is a pipe, not a regular file") << "and does not wait for a writer";
  EXPECT_EQ(read_regular_file("/dev/zero", 100).problem, "is a socket or a device, not a regular file");
  fs::remove(path);
  const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(problem(), "is a socket or a device, not a regular file");
  ::close(listening);
}

}  // namespace
}  // namespace photofinish::gateway
