// Tests the parts of upstream_call for AWS: how it reads frames, and how it signs requests.
#include "proxy/aws/sigv4.hpp"
#include "tests/support/streams/frames.hpp"
#include "tests/unit/proxy/upstream_call_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// The following tests cover frames, which are AWS's binary events.

// A stream that returns the payload of each frame, and ends at the end of the body.
class payloads final : public dialect_stream {
 public:
  answer_kind on_head(const response_head&) override { return answer_kind::frames; }
  result<std::span<const stream_event>> on_event(const sse_event&, instant) override { return std::span<const stream_event>(); }
  result<std::span<const stream_event>> on_frame(const event_frame& frame, instant read_at) override {
    piece_ = frame.payload;
    event_ = {.kind = event_kind::token, .json = {&piece_, 1}, .read_at = read_at};
    return std::span<const stream_event>(&event_, 1);
  }
  result<std::span<const stream_event>> on_body_end(std::string_view unfinished, instant) override {
    event_ = {.kind = event_kind::end};
    if (unfinished.empty()) return std::span<const stream_event>(&event_, 1);
    failure why;
    why.detail = "cut behind " + std::to_string(unfinished.size());
    return why;
  }
  result<void> on_whole(std::string) override { return {}; }
  result<std::span<const stream_event>> next_of_whole(instant) override { return std::span<const stream_event>(); }
  std::size_t held_bytes() const override { return 0; }

 private:
  std::string_view piece_;
  stream_event event_;
};

class upstream_frames_test : public upstream_call_test {
 protected:
  result<void> open_frames(std::vector<std::string> body) {
    stream_ = std::make_unique<payloads>();
    return open(response_head{200, {{"content-type", "application/vnd.amazon.eventstream"}}}, std::move(body));
  }
};

TEST_F(upstream_frames_test, SaysEachFrameHoweverItIsCut) {
  const std::string bytes = test::event_frame_of("a", "one") + test::event_frame_of("b", "two") + test::event_frame_of("c", "three");
  for (std::size_t cut = 1; cut < bytes.size(); cut += 7) {
    ASSERT_TRUE(open_frames({bytes.substr(0, cut), bytes.substr(cut)}));
    EXPECT_EQ(read_all(), "one\ntwo\nthree\n\nend") << cut;
  }
}

TEST_F(upstream_frames_test, FailsWhereAChecksumIsWrong) {
  std::string bytes = test::event_frame_of("a", "one") + test::event_frame_of("b", "two");
  bytes.back() = static_cast<char>(~bytes.back());
  ASSERT_TRUE(open_frames({bytes}));
  EXPECT_EQ(read_all(), "one\nfailed: the checksum of a frame is wrong");
}

TEST_F(upstream_frames_test, SaysWhatIsCutAtTheEnd) {
  ASSERT_TRUE(open_frames({test::event_frame_of("a", "one").substr(0, 30)}));
  EXPECT_EQ(read_all(), "failed: cut behind 30");
}

TEST_F(upstream_frames_test, TakesNoFrameBeyondTheLimitAndCountsALongOne) {
  const std::string bytes = test::event_frame_of("a", std::string(100'000, 'x'));
  ASSERT_TRUE(open_frames({bytes.substr(0, 90'000), bytes.substr(90'000)}));
  EXPECT_FALSE(call_->read());
  EXPECT_GT(memory_.used(), 89'000u);
  EXPECT_EQ(read_all(), std::string(100'000, 'x') + "\n\nend");
  target_.limits.max_event_bytes = 50'000;
  ASSERT_TRUE(open_frames({bytes}));
  EXPECT_EQ(read_all(), "failed: a frame is larger than 50000 bytes");
}

TEST_F(upstream_frames_test, KeepsWhatOneReadBrought) {
  ASSERT_TRUE(open_frames({test::event_frame_of("a", "one") + test::event_frame_of("b", std::string(40'000, 'x')), ""}));
  ASSERT_TRUE(call_->read());
  EXPECT_TRUE(call_->may_have_event());
  EXPECT_TRUE(call_->keep_unread());
  EXPECT_GT(memory_.used(), 39'000u);
  EXPECT_EQ((**call_->poll()).json.front().size(), 40'000u);
}

// Signatures

class upstream_signature_test : public upstream_call_test {
 protected:
  upstream_signature_test() {
    target_.key.auth = auth_style::aws;
    target_.key.aws_region = "eu-west-1";
    target_.url.host = "bedrock-runtime.eu-west-1.amazonaws.com";
  }
  std::string field(std::string_view name) const {
    for (const auto& [each, value] : head_.fields)
      if (each == name) return value;
    return {};
  }
  result<void> send(std::string body) {
    prepared_request request;
    request.head = {.path = "/model/m%3A0/converse", .host = target_.url.host, .fields = {{"content-type", "application/json"}}};
    request.body = request_body(std::move(body));
    return open_with(std::move(request), stream_head);
  }
};

TEST_F(upstream_signature_test, IsMadeOfWhatIsSent) {
  key_ = secret("AKIDEXAMPLE:wJalrXUtnFEMI:token==");
  const std::string body(1'000'000, 'x');
  ASSERT_TRUE(send(body));
  EXPECT_GE(turns_, 4u);  // while the call hashed the body, the event loop ran other handlers
  sha256 sum;
  sum.add(body);
  const std::string signed_by_call = field("authorization");
  EXPECT_EQ(field("x-amz-security-token"), "token==");
  std::istringstream date(field("x-amz-date"));
  std::tm parts{};
  ASSERT_TRUE(date >> std::get_time(&parts, "%Y%m%dT%H%M%SZ")) << field("x-amz-date");
  request_head again{.path = head_.path, .host = head_.host, .fields = {{"content-type", "application/json"}}};
  sign_request(again, sum.hex(), {"AKIDEXAMPLE", secret("wJalrXUtnFEMI"), secret("token==")}, {"eu-west-1", "bedrock"},
               std::chrono::sys_seconds(std::chrono::seconds(::timegm(&parts))));
  EXPECT_EQ(again.fields.back().second, signed_by_call);
}

TEST_F(upstream_signature_test, IsNotMadeWithAnApiKey) {
  key_ = secret("ABSKexample");
  ASSERT_TRUE(send("{}"));
  EXPECT_EQ(field("authorization"), "");
  EXPECT_EQ(field("x-amz-date"), "");
}

TEST_F(upstream_signature_test, IsOfThatKindOfProviderAlone) {
  target_.key.auth = auth_style::bearer;
  key_ = secret("AKIDEXAMPLE:wJalrXUtnFEMI");
  ASSERT_TRUE(send("{}"));
  EXPECT_EQ(field("x-amz-date"), "");
}

// If a signature is wrong, AWS repeats the signed text in its error message.
TEST_F(upstream_signature_test, LeavesNoSecretInAnError) {
  key_ = secret("AKIDEXAMPLE:wJalrXUtnFEMI:SessionTokenOfThis");
  ASSERT_TRUE(open(json_head, {R"({"error":{"message":"x-amz-security-token:SessionTokenOfThis of wJalrXUtnFEMI","code":403}})"}));
  EXPECT_EQ(read_all(), "failed: x-amz-security-token:[redacted] of [redacted]");
}

}  // namespace
}  // namespace photofinish::proxy
