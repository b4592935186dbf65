// Tests the file in which a gateway saves its usage record, and the id of the record.
#include "gateway/housekeeping/stores/usage_keeping.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace photofinish::gateway {
namespace {

struct book_folder {
  book_folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "photofinish_book_XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~book_folder() { std::filesystem::remove_all(path); }
  std::string path;
};

// The gateway saves its usage record every minute, together with an id. If the process is killed before the first save, the next process
// must use the same id. Otherwise the store would contain two records of the same gateway.
TEST(UsageKeeping, TheIdOutlivesARunThatSavedNothing) {
  const book_folder folder;
  house_loop house;
  std::string first;
  {
    usage_keeping keeping(house, folder.path, 1);
    first = keeping.sharing().book();
    EXPECT_TRUE(keeping.may_share());
  }
  usage_keeping next(house, folder.path, 1);
  EXPECT_EQ(next.sharing().book(), first);
  EXPECT_FALSE(next.has_kept());
  EXPECT_FALSE(next.may_share()) << "the rows in the store come first";
}

}  // namespace
}  // namespace photofinish::gateway
