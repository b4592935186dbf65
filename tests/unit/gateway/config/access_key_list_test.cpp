#include "gateway/config/access/access_key_list.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

TEST(AccessKeyList, FindsEachKeyAndOnlyThose) {
  const access_key_list keys{{"one", proxy::secret("key-1"), {}}, {"two", proxy::secret("key-22"), {}}};
  EXPECT_EQ(keys.find(proxy::secret("key-1")), &keys[0]);
  EXPECT_EQ(keys.find(proxy::secret("key-22")), &keys[1]);
  EXPECT_EQ(keys.find(proxy::secret("key-2")), nullptr);
  EXPECT_EQ(keys.find(proxy::secret("key-1 ")), nullptr);
  EXPECT_EQ(access_key_list{}.find(proxy::secret("key-1")), nullptr);
}

TEST(AccessKeyList, NeverMatchesAnEmptyKey) {
  const access_key_list keys{{"forgotten", proxy::secret(""), {}}};
  EXPECT_EQ(keys.find(proxy::secret("")), nullptr);
}

TEST(AccessKeyList, AKeyIsOpenedByEachOfItsHashesAndByItsText) {
  const access_key_list keys{
      {.name = "one", .key = proxy::secret("key-1"), .hashes = {digest_of_key("key-2"), digest_of_key("key-3")}},
      {.name = "two", .key = {}, .hashes = {digest_of_key("key-4")}}};
  for (const char* text : {"key-1", "key-2", "key-3"}) {
    EXPECT_EQ(keys.find(proxy::secret(text)), &keys[0]) << text;
    EXPECT_TRUE(keys[0].is_opened_by(proxy::secret(text))) << text;
    EXPECT_FALSE(keys[1].is_opened_by(proxy::secret(text))) << text;
  }
  EXPECT_EQ(keys.find(proxy::secret("key-4")), &keys[1]);
  EXPECT_FALSE(keys[1].is_opened_by(proxy::secret("")));
}

TEST(AccessKeyList, FindsEachOfTenThousand) {
  access_key_list keys;
  for (int each = 0; each < 10'000; ++each)
    keys.push_back({std::to_string(each), {}, {}, {digest_of_key("key-" + std::to_string(each))}});
  for (int each = 0; each < 10'000; ++each)
    ASSERT_EQ(keys.find(proxy::secret("key-" + std::to_string(each))), &keys[static_cast<std::size_t>(each)]);
  EXPECT_EQ(keys.find(proxy::secret("key-10000")), nullptr);
}

}  // namespace
}  // namespace photofinish::gateway
