// Tests how comments in event streams end. A comment normally ends with a blank line. For openai-go before 3.43 it ends without a blank
// line, because openai-go would read a blank line after a comment as an event.
#include "gateway/http/response.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace photofinish::gateway {
namespace {

comment_end comments_of(const char* name, const char* value) {
  const std::vector<proxy::header_field> fields{{name, value}};
  return comments_for(fields);
}

TEST(ResponseComments, HaveNoBlankLineForSdksInGo) {
  EXPECT_EQ(comments_of("X-Stainless-Lang", "go"), comment_end::line_end);
  EXPECT_EQ(comments_of("user-agent", "OpenAI/Go 3.42.0"), comment_end::line_end);
}

TEST(ResponseComments, EndWithABlankLineForAllOthers) {
  EXPECT_EQ(comments_for({}), comment_end::blank_line);
  EXPECT_EQ(comments_of("x-stainless-lang", "js"), comment_end::blank_line);
  EXPECT_EQ(comments_of("x-stainless-lang", "golang"), comment_end::blank_line);
  EXPECT_EQ(comments_of("user-agent", "OpenAI/Python 3.57.0"), comment_end::blank_line);
}

}  // namespace
}  // namespace photofinish::gateway
