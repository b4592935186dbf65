// Tests which refusals permit a second request to the same target.
#include "gateway/attempts/retryable_rejection.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

using metrics::repeat_reason;

struct refusal_case {
  const char* name;
  int status;
  const char* code;
  const char* param;
  const char* detail;
  std::optional<repeat_reason> mended_by;
};

class ARefusal : public ::testing::TestWithParam<refusal_case> {};
INSTANTIATE_TEST_SUITE_P(
    MendableRefusal, ARefusal,
    ::testing::Values(
        refusal_case{"of_a_stream", 400, "unsupported_value", "stream", "", repeat_reason::stream},
        refusal_case{"of_a_value_in_a_stream", 400, "unsupported_value", "audio.format",
                     "Unsupported value: 'audio.format' does not support 'wav' when stream=true. Supported values are: 'pcm16'.", repeat_reason::stream},
        refusal_case{"of_tools_in_a_stream", 400, "ValidationException", "", "This model doesn't support tool use in streaming mode.", repeat_reason::stream},
        refusal_case{"of_streams_by_azure", 403, "", "", "Streaming requests are not yet allowed.", repeat_reason::stream},
        refusal_case{"that_quotes_a_stream", 400, "", "", "Unsupported value: 'stream' of a color", std::nullopt},
        refusal_case{"of_a_value_elsewhere", 400, "invalid_type", "metadata", "streams are not allowed", std::nullopt},
        refusal_case{"of_another_status", 401, "unsupported_value", "stream", "", std::nullopt},
        refusal_case{"of_another_parameter", 400, "unsupported_value", "temperature", "", std::nullopt},
        refusal_case{"of_another_code", 400, "invalid_type", "stream", "", std::nullopt},
        refusal_case{"of_encrypted_content", 400, "invalid_encrypted_content", "", "", repeat_reason::reasoning},
        refusal_case{"of_encrypted_content_without_a_code", 400, "", "",
                     "The encrypted content for item rs_0a could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
                     repeat_reason::reasoning},
        refusal_case{"of_an_item_that_is_kept_elsewhere", 404, "", "input",
                     "Item with id 'rs_0a' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
                     repeat_reason::reasoning},
        refusal_case{"of_xais", 400, "invalid-argument", "",
                     "Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.",
                     repeat_reason::reasoning},
        refusal_case{"of_xais_blob", 400, "", "", "Could not decode the compaction blob. Ensure it is unmodified from the compact response.",
                     repeat_reason::reasoning},
        refusal_case{"of_a_signature", 400, "", "", "messages.1.content.0: Invalid `signature` in `thinking` block", repeat_reason::reasoning},
        refusal_case{"of_redacted_data", 400, "", "", "messages.1.content.0: Invalid `data` in `redacted_thinking` block", repeat_reason::reasoning},
        refusal_case{"of_changed_thinking", 400, "", "",
                     "messages.3.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
                     repeat_reason::reasoning},
        refusal_case{"of_bedrocks", 400, "", "", "messages.1.content.0.thinking.signature: Field required", repeat_reason::reasoning},
        refusal_case{"of_a_missing_block", 400, "", "",
                     "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.", repeat_reason::reasoning},
        refusal_case{"of_empty_thinking", 400, "", "", "messages.1.content.0.thinking: each thinking block must contain thinking", repeat_reason::reasoning},
        refusal_case{"of_empty_thinking_in_backticks", 400, "", "", "each `thinking` block must contain `thinking`", repeat_reason::reasoning},
        refusal_case{"of_thinking_that_is_off", 400, "", "",
                     "messages.1.content.0: When thinking is disabled, an `assistant` message cannot contain `thinking`", repeat_reason::reasoning},
        refusal_case{"of_reasoning_alone", 400, "", "input",
                     "Item 'rs_0a' of type 'reasoning' was provided without its required following item.", repeat_reason::reasoning},
        refusal_case{"of_another_member_that_is_quoted", 400, "", "metadata", "Invalid value: thinking signature", std::nullopt},
        refusal_case{"that_quotes_a_signature", 400, "", "", "unknown word 'thinking signature'", std::nullopt},
        refusal_case{"of_converses", 400, "ValidationException", "", "Invalid signature in reasoningContent", repeat_reason::reasoning},
        refusal_case{"of_geminis", 400, "", "", "Corrupted thought signature.", repeat_reason::reasoning},
        refusal_case{"of_a_call_without_one", 400, "", "",
                     "Function call is missing a thought_signature in functionCall parts.", repeat_reason::reasoning},
        refusal_case{"of_a_signature_elsewhere", 401, "", "", "Corrupted thought signature.", std::nullopt},
        refusal_case{"of_an_unknown_model", 404, "model_not_found", "", "The model `x` does not exist", std::nullopt},
        refusal_case{"of_a_message_item", 404, "", "input", "Item with id 'msg_0a' not found. Items are not persisted when `store` is set to false.",
                     std::nullopt},
        refusal_case{"of_a_stream_without_a_status", 0, "invalid_encrypted_content", "", "", repeat_reason::reasoning},
        refusal_case{"of_a_signature_in_a_stream", 0, "", "", "Invalid `signature` in `thinking` block", repeat_reason::reasoning},
        refusal_case{"of_a_key", 401, "invalid_encrypted_content", "", "", std::nullopt}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ARefusal, IsMendedByLeavingOutWhatWasRefused) {
  proxy::failure why;
  why.kind = proxy::failure_kind::bad_request;
  why.status = GetParam().status;
  why.code = GetParam().code;
  why.param = GetParam().param;
  why.detail = GetParam().detail;
  EXPECT_EQ(find_repeat_reason(why), GetParam().mended_by);
  why.origin = proxy::failure_origin::gateway;
  EXPECT_EQ(find_repeat_reason(why), std::nullopt) << "no provider said so";
}

TEST(BlamedMaker, IsTheReasonOnlyIfTheProviderSaysSo) {
  const auto blames = [](const char* detail, const char* code = "") {
    proxy::failure why;
    why.kind = proxy::failure_kind::bad_request;
    why.status = 400;
    why.code = code;
    why.detail = detail;
    return blames_maker(why);
  };
  EXPECT_TRUE(blames("", "invalid_encrypted_content"));
  EXPECT_TRUE(blames("The encrypted content gAAA...DQ== could not be verified."));
  EXPECT_TRUE(blames("Could not decrypt the provided encrypted_content."));
  EXPECT_TRUE(blames("messages.1.content.0: Invalid `signature` in `thinking` block"));
  EXPECT_TRUE(blames("messages.1.content.0: Invalid `data` in `redacted_thinking` block"));
  EXPECT_TRUE(blames("Corrupted thought signature."));
  EXPECT_TRUE(blames("Unable to submit request because Thought signature is not valid."));
  EXPECT_FALSE(blames("Function call is missing a thought_signature in functionCall parts."));
  EXPECT_FALSE(blames("messages.1.content.0.thinking.signature: Field required"));
  EXPECT_FALSE(blames("When thinking is disabled, an `assistant` message cannot contain `thinking`"));
  EXPECT_FALSE(blames("Item 'rs_0a' of type 'reasoning' was provided without its required following item."));
}

TEST(RefusedCredentials, AreMendedByNewerOnes) {
  const auto mended = [](int status, const char* code, const char* detail) {
    proxy::failure why;
    why.kind = proxy::failure_kind::auth;
    why.status = status;
    why.code = code;
    why.detail = detail;
    return find_repeat_reason(why) == repeat_reason::credentials;
  };
  EXPECT_TRUE(mended(401, "", "Request had invalid authentication credentials."));
  EXPECT_TRUE(mended(403, "ExpiredTokenException", "The security token included in the request is expired"));
  EXPECT_TRUE(mended(403, "UnrecognizedClientException", "The security token included in the request is invalid."));
  EXPECT_TRUE(mended(403, "", "The security token included in the request is expired"));
  EXPECT_FALSE(mended(403, "AccessDeniedException", "User: x is not authorized to perform: bedrock:InvokeModel"));
}

}  // namespace
}  // namespace photofinish::gateway
