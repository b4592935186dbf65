#include "proxy/dialects/answer_kind.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

struct head_case {
  const char* name;
  int status;
  const char* type;
  answer_kind kind;
};

class AnswerKind : public ::testing::TestWithParam<head_case> {};

TEST_P(AnswerKind, IsSaidByStatusAndType) {
  EXPECT_EQ(kind_by_type(response_head{GetParam().status, {{"content-type", GetParam().type}}}), GetParam().kind);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, AnswerKind,
    ::testing::Values(head_case{"Events", 200, "text/event-stream", answer_kind::events},
                    head_case{"EventsWithACharset", 200, "Text/Event-Stream ; charset=utf-8", answer_kind::events},
                    head_case{"Json", 200, "application/json;charset=utf-8", answer_kind::whole},
                    head_case{"Html", 200, "text/html", answer_kind::refusal},
                    head_case{"NoType", 200, "", answer_kind::refusal},
                    head_case{"TypeThatOnlyBeginsSo", 200, "application/json-seq", answer_kind::refusal},
                    head_case{"EventsOfAnError", 500, "text/event-stream", answer_kind::refusal},
                    head_case{"JsonOfAnError", 429, "application/json", answer_kind::refusal},
                    head_case{"AnotherSuccess", 201, "text/event-stream", answer_kind::refusal}),
    [](const auto& tested) { return tested.param.name; });

TEST(AnswerKindOfABareHead, IsARefusal) { EXPECT_EQ(kind_by_type(response_head{200, {}}), answer_kind::refusal); }

}  // namespace
}  // namespace photofinish::proxy
