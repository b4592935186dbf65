// Tests how the gateway repairs streams with small faults. stream_state and tool_calls decide which repairs are needed, and chunk_edits
// writes the repaired text. The tests check only the resulting JSON.
#include "proxy/dialects/openai/stream_state.hpp"

#include "tests/support/streams/stream_player.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using test::play_chunks;

constexpr std::string_view head = R"({"id":"i","created":5,"choices":[)";

std::string chunk(std::string_view choices) { return std::string(head) + std::string(choices) + "]}"; }

// Returns a chunk with one delta of choice 0. A correct stream has the role in its first delta.
std::string delta(std::string_view members) {
  return chunk(R"({"index":0,"delta":{)" + std::string(members) + "}}");
}

std::string finish(std::string_view reason) {
  return chunk(R"({"index":0,"delta":{},"finish_reason":)" + std::string(reason) + "}");
}

struct mending_case {
  const char* name;
  std::vector<std::string> sent;
  std::vector<std::string> seen;
};

class Mending : public testing::TestWithParam<mending_case> {};

TEST_P(Mending, GivesWhatClientsUnderstand) { EXPECT_EQ(play_chunks(GetParam().sent).json, GetParam().seen); }

const std::string role = delta(R"("role":"assistant","content":"")");
const std::string stop = finish(R"("stop")");

INSTANTIATE_TEST_SUITE_P(
    Identity, Mending,
    testing::Values(
        mending_case{"CleanStaysAsItIs", {role, delta(R"("content":"a")"), stop}, {role, delta(R"("content":"a")"), stop}},
        mending_case{"FirstIdCounts",
                     {role, R"({"id":"other","created":6,"choices":[]})", stop},
                     {role, R"({"id":"i","created":5,"choices":[]})", stop}},
        mending_case{"EmptyFirstIdIsInvented",
                     {R"({"id":"","created":0,"choices":[]})", R"({"id":"late","created":9,"choices":[]})"},
                     {R"({"id":"chatcmpl-invented","created":1700000000,"choices":[]})",
                      R"({"id":"chatcmpl-invented","created":1700000000,"choices":[]})"}},
        mending_case{"MissingIdIsPutIn",
                     {role, R"({"choices":[]})", stop},
                     {role, R"({"id":"i","created":5,"choices":[]})", stop}},
        mending_case{"IdOfAnotherKind",
                     {role, R"({"id":7,"created":"x","choices":[]})", stop},
                     {role, R"({"id":"i","created":5,"choices":[]})", stop}},
        mending_case{"IdSaidTwice",
                     {role, R"({"id":"i","id":"x","created":5,"choices":[]})", stop},
                     {role, R"({"id":"i","id":"i","created":5,"choices":[]})", stop}},
        mending_case{"IdWithEscapes",
                     {R"({"id":"a\"b","created":5,"choices":[]})", R"({"created":5,"choices":[]})"},
                     {R"({"id":"a\"b","created":5,"choices":[]})", R"({"id":"a\"b","created":5,"choices":[]})"}},
        mending_case{"EventsWithoutChoicesAreNoChunks", {R"({"type":"ping"})", role, R"({"id":"i","choices":null})", stop}, {role, stop}}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Roles, Mending,
    testing::Values(
        mending_case{"MissingRoleIsPutIn", {delta(R"("content":"a")"), stop}, {delta(R"("role":"assistant","content":"a")"), stop}},
        mending_case{"EmptyDeltaGetsARole", {delta(""), stop}, {delta(R"("role":"assistant")"), stop}},
        mending_case{"NullRoleBecomesOne", {delta(R"("role":null,"content":"a")"), stop}, {delta(R"("role":"assistant","content":"a")"), stop}},
        mending_case{"OtherRoleBecomesOne", {delta(R"("role":"model")"), stop}, {delta(R"("role":"assistant")"), stop}},
        mending_case{"RepeatedRoleGoes",
                     {role, delta(R"("role":"assistant","content":"a")"), delta(R"("content":"b","role":"assistant")"), delta(R"("role":"")"), stop},
                     {role, delta(R"("content":"a")"), delta(R"("content":"b")"), delta(""), stop}},
        mending_case{"MissingDeltaIsPutIn",
                     {chunk(R"({"index":0})"), chunk(R"({"index":0,"finish_reason":"stop"})")},
                     {chunk(R"({"delta":{"role":"assistant"},"index":0})"), chunk(R"({"delta":{},"index":0,"finish_reason":"stop"})")}},
        mending_case{"NullDeltaIsReplaced", {role, chunk(R"({"index":0,"delta":null,"finish_reason":"stop"})")}, {role, stop}},
        mending_case{"EachChoiceHasARole",
                     {chunk(R"({"index":0,"delta":{"role":"assistant"}},{"index":1,"delta":{"content":"b"}})"),
                      chunk(R"({"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"length"})")},
                     {chunk(R"({"index":0,"delta":{"role":"assistant"}},{"index":1,"delta":{"role":"assistant","content":"b"}})"),
                      chunk(R"({"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"length"})")}},
        mending_case{"MissingChoiceIndexIsItsPosition",
                     {chunk(R"({"delta":{"role":"assistant"}},{"delta":{"role":"assistant"}})"),
                      chunk(R"({"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"})")},
                     {chunk(R"({"index":0,"delta":{"role":"assistant"}},{"index":1,"delta":{"role":"assistant"}})"),
                      chunk(R"({"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"})")}},
        mending_case{"NothingInAChoice", {chunk("{}"), stop}, {chunk(R"({"index":0,"delta":{"role":"assistant"}})"), stop}}),
    [](const auto& tested) { return tested.param.name; });

const std::string owed_stop =
    R"({"id":"i","object":"chat.completion.chunk","created":5,"model":"asked-model","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";

INSTANTIATE_TEST_SUITE_P(
    Finishes, Mending,
    testing::Values(
        mending_case{"EmptyIsNull", {role, finish(R"("")"), stop}, {role, finish("null"), stop}},
        mending_case{"NullStays", {role, finish("null"), stop}, {role, finish("null"), stop}},
        mending_case{"NoString", {role, finish("0"), stop}, {role, finish("null"), stop}},
        mending_case{"Eos", {role, finish(R"("eos")")}, {role, stop}},
        mending_case{"EosToken", {role, finish(R"("eos_token")")}, {role, stop}},
        mending_case{"End", {role, finish(R"("end")")}, {role, stop}},
        mending_case{"Unknown", {role, finish(R"("whatever")")}, {role, finish(R"("length")")}},
        mending_case{"GooglesRecitation", {role, finish(R"("RECITATION")")}, {role, finish(R"("content_filter")")}},
        mending_case{"CoheresComplete", {role, finish(R"("COMPLETE")")}, {role, stop}},
        mending_case{"MaxTokensIsLength", {role, finish(R"("max_tokens")")}, {role, finish(R"("length")")}},
        mending_case{"ValidOnesStay", {role, finish(R"("content_filter")")}, {role, finish(R"("content_filter")")}},
        mending_case{"Twice", {role, stop, finish(R"("length")")}, {role, stop, finish("null")}},
        mending_case{"MissingIsOwed", {role, delta(R"("content":"a")")}, {role, delta(R"("content":"a")"), owed_stop}},
        mending_case{"MissingOfOneChoice",
                     {chunk(R"({"index":0,"delta":{"role":"assistant"},"finish_reason":"stop"},{"index":2,"delta":{"role":"assistant"}})")},
                     {chunk(R"({"index":0,"delta":{"role":"assistant"},"finish_reason":"stop"},{"index":2,"delta":{"role":"assistant"}})"),
                      R"({"id":"i","object":"chat.completion.chunk","created":5,"model":"asked-model","choices":[{"index":2,"delta":{},"finish_reason":"stop"}]})"}},
        mending_case{"AMessageIsADelta",
                     {chunk(R"({"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":null})"), chunk(R"({"index":0,"message":{"content":"b"},"finish_reason":"stop"})")},
                     {chunk(R"({"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null})"), chunk(R"({"index":0,"delta":{"content":"b"},"finish_reason":"stop"})")}},
        mending_case{"AMessageNextToNullIsADelta", {chunk(R"({"index":0,"delta":null,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"})")},
                     {chunk(R"({"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":"stop"})")}},
        mending_case{"AMessageAfterDeltasIsNone",
                     {role, delta(R"("content":"a")"), chunk(R"({"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"})")},
                     {role, delta(R"("content":"a")"), chunk(R"({"delta":{},"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"})")}},
        mending_case{"NoChoiceOwesNone", {R"({"id":"i","created":5,"choices":[]})"}, {R"({"id":"i","created":5,"choices":[]})"}}),
    [](const auto& tested) { return tested.param.name; });

std::string calls(std::string_view entries) { return delta(R"("tool_calls":[)" + std::string(entries) + "]"); }

const std::string tool_stop = finish(R"("tool_calls")");

// Adds a role chunk to the beginning of both `sent` and `seen`, and adds a chunk with a finish reason to the end of both.
mending_case tool_case(const char* name, std::vector<std::string> sent, std::vector<std::string> seen) {
  for (auto* chunks : {&sent, &seen}) {
    chunks->insert(chunks->begin(), role);
    chunks->push_back(tool_stop);
  }
  return {name, sent, seen};
}

INSTANTIATE_TEST_SUITE_P(
    ToolCalls, Mending,
    testing::Values(
        tool_case("CleanOnes",
                  {calls(R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}})"),
                   calls(R"({"index":0,"function":{"arguments":"{}"}})"),
                   calls(R"({"index":1,"id":"b","type":"function","function":{"name":"f","arguments":""}})"),
                   calls(R"({"index":1,"function":{"arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}})"),
                   calls(R"({"index":0,"function":{"arguments":"{}"}})"),
                   calls(R"({"index":1,"id":"b","type":"function","function":{"name":"f","arguments":""}})"),
                   calls(R"({"index":1,"function":{"arguments":"{}"}})")}),
        tool_case("SeveralWholeOnesInOneDelta",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}})")}),
        tool_case("IndexMissing",
                  {calls(R"({"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"f","arguments":"{}"}})"),
                   calls(R"({"function":{"name":"g","arguments":"{\"x\":1}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}})"),
                   calls(R"({"index":2,"id":"call_invented_2","function":{"name":"g","arguments":"{\"x\":1}"}})")}),
        tool_case("IndexMissingAndInPieces",
                  {calls(R"({"id":"a","function":{"name":"f","arguments":"{\""}})"), calls(R"({"function":{"arguments":"x\":1}"}})"),
                   calls(R"({"id":"b","function":{"name":"f","arguments":""}})"), calls(R"({"function":{"arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\""}})"), calls(R"({"index":0,"function":{"arguments":"x\":1}"}})"),
                   calls(R"({"index":1,"id":"b","function":{"name":"f","arguments":""}})"), calls(R"({"index":1,"function":{"arguments":"{}"}})")}),
        tool_case("BothZeroWithDifferentIds",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"a\"}"}})"),
                   calls(R"({"index":0,"id":"b","function":{"name":"f","arguments":"{\"path\":\"b\"}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"a\"}"}})"),
                   calls(R"({"index":1,"id":"b","function":{"name":"f","arguments":"{\"path\":\"b\"}"}})")}),
        tool_case("BothZeroInOneDelta",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}})")}),
        tool_case("BothZeroWithoutIds",
                  {calls(R"({"index":0,"function":{"name":"f","arguments":"{}"}})"), calls(R"({"index":0,"function":{"name":"g","arguments":"{}"}})")},
                  {calls(R"({"id":"call_invented_0","index":0,"function":{"name":"f","arguments":"{}"}})"),
                   calls(R"({"id":"call_invented_1","index":1,"function":{"name":"g","arguments":"{}"}})")}),
        tool_case("IdBehindTheName",
                  {calls(R"({"index":0,"id":null,"function":{"name":"f","arguments":""}})"), calls(R"({"index":0,"id":"late","function":{"arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"call_invented_0","function":{"name":"f","arguments":""}})"), calls(R"({"index":0,"function":{"arguments":"{}"}})")}),
        tool_case("TheSameFunctionTwiceWithoutArguments",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":0,"id":"b","function":{"name":"f","arguments":""}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"f","arguments":""}})")}),
        tool_case("OneIdForAllCalls",
                  {calls(R"({"index":0,"id":"c","function":{"name":"f","arguments":"{}"}})"), calls(R"({"index":1,"id":"c","function":{"name":"g","arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"c","function":{"name":"f","arguments":"{}"}})"), calls(R"({"index":1,"id":"c","function":{"name":"g","arguments":"{}"}})")}),
        tool_case("IndexStartsAgainInEachChunk",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
                   calls(R"({"index":0,"id":"b","function":{"name":"g","arguments":"{"}})"), calls(R"({"index":0,"id":"b","function":{"arguments":"}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})"),
                   calls(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{"}})"), calls(R"({"index":1,"function":{"arguments":"}"}})")}),
        tool_case("NewIdInEachDelta",
                  {calls(R"({"index":0,"id":"1","function":{"name":"f","arguments":""}})"), calls(R"({"index":0,"id":"2","function":{"arguments":"{"}})"),
                   calls(R"({"index":0,"id":"3","function":{"name":"f","arguments":"}"}})")},
                  {calls(R"({"index":0,"id":"1","function":{"name":"f","arguments":""}})"), calls(R"({"index":0,"function":{"arguments":"{"}})"),
                   calls(R"({"index":0,"function":{"arguments":"}"}})")}),
        tool_case("WholeOneTwiceUnderOneIdWithoutAnIndex",
                  {calls(R"({"id":"b","function":{"name":"g","arguments":"{}"}})"), calls(R"({"id":"b","function":{"name":"g","arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"b","function":{"name":"g","arguments":"{}"}})"), calls(R"({"index":0,"function":{"arguments":"{}"}})")}),
        tool_case("NameWithEachPiece",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})"), calls(R"({"index":0,"function":{"arguments":"}","name":"f"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})"), calls(R"({"index":0,"function":{"arguments":"}"}})")}),
        tool_case("HeaderAndArgumentsAsTwoEntries",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f"},"type":"function"}, {"index":0,"function":{"arguments":" {\""}})"),
                   calls(R"({"index":0,"function":{"arguments":"x\":"}},{"index":0,"function":{"arguments":"\"\\ud83c"}},{"index":0,"function":{"arguments":"\\udfc1\"}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"arguments":" {\"","name":"f"},"type":"function"})"),
                   calls(R"({"index":0,"function":{"arguments":"x\":\"\\ud83c\\udfc1\"}"}})")}),
        tool_case("IndexOfAnotherKind", {calls(R"({"index":"0","id":"a","function":{"name":"f","arguments":"{}"}})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})")}),
        tool_case("NothingButAnotherId",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})"), calls(R"({"id":"b"})")},
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})"), calls(R"({"index":0})")})),
    [](const auto& tested) { return tested.param.name; });

const std::string object_call = R"({"index":0,"id":"a","function":{"name":"f","arguments":{"p":1}}})";
const std::string silent_call = R"({"index":0,"id":"a","function":{"name":"f","arguments":""}})";
const std::string held_object =
    R"({"id":"i","object":"chat.completion.chunk","created":5,"model":"asked-model","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":1}"}}]},"finish_reason":null}]})";

std::string last_calls(const std::string& entries) {
  return chunk(R"({"index":0,"delta":{"tool_calls":[)" + entries + R"(]},"finish_reason":"tool_calls"})");
}

INSTANTIATE_TEST_SUITE_P(
    ObjectsOfArguments, Mending,
    testing::Values(
        tool_case("ThePlaceholderBeforeATextDoesNotCount",
                  {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":{}}})"), calls(R"({"index":0,"function":{"arguments":"{}"}})")},
                  {calls(silent_call), calls(R"({"index":0,"function":{"arguments":"{}"}})")}),
        tool_case("OneWaitsForTheEnd", {calls(object_call)}, {calls(silent_call), held_object}),
        tool_case("TheSameTwiceCountsOnce", {calls(object_call), calls(R"({"index":0,"function":{"name":"f","arguments":{"p":1}}})")},
                  {calls(silent_call), calls(R"({"index":0,"function":{"arguments":""}})"), held_object}),
        tool_case("TheLastOneCounts", {calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":{"p":0}}})"), calls(R"({"index":0,"function":{"arguments":{"p":1}}})")},
                  {calls(silent_call), calls(R"({"index":0,"function":{"arguments":""}})"), held_object}),
        mending_case{"OneInTheLastChunkStaysThere", {role, last_calls(object_call)},
                     {role, last_calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":1}"}})")}},
        mending_case{"NoneIsLostWithoutAFinish", {role, calls(object_call)},
                     {role, calls(silent_call),
                      R"({"id":"i","object":"chat.completion.chunk","created":5,"model":"asked-model","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":1}"}}]},"finish_reason":"tool_calls"}]})"}}),
    [](const auto& tested) { return tested.param.name; });

// If a chunk differs from the previous chunk only in its text ("@"), the reader does not parse the chunk. Nevertheless, it must repair the
// chunk.
struct repetition {
  const char* name;
  std::string sent, seen;
};

std::string say(std::string chunk, int text) { return chunk.replace(chunk.find('@'), 1, std::to_string(text)); }

class Repeated : public testing::TestWithParam<repetition> {};

TEST_P(Repeated, EachIsMendedAsTheFirst) {
  std::vector<std::string> sent{role}, seen{role};
  for (int text = 0; text < 10; ++text) {
    sent.push_back(say(GetParam().sent, text));
    seen.push_back(say(GetParam().seen, text));
  }
  sent.push_back(stop);
  seen.push_back(stop);
  EXPECT_EQ(play_chunks(sent).json, seen);
}

INSTANTIATE_TEST_SUITE_P(
    Chunks, Repeated,
    testing::Values(
        repetition{"Clean", delta(R"("content":"@")"), delta(R"("content":"@")")},
        repetition{"Role", delta(R"("role":"assistant","content":"@")"), delta(R"("content":"@")")},
        repetition{"Id", R"({"id":"j","created":5,"choices":[{"index":0,"delta":{"content":"@"}}]})",
                   delta(R"("content":"@")")},
        repetition{"Usage",
                   R"({"id":"i","created":5,"usage":{"prompt_tokens":1},"choices":[{"index":0,"delta":{"content":"@"}}]})",
                   R"({"id":"i","created":5,"usage":null,"choices":[{"index":0,"delta":{"content":"@"}}]})"},
        repetition{"NoIndex", chunk(R"({"delta":{"content":"@"}})"),
                   chunk(R"({"index":0,"delta":{"content":"@"}})")}),
    [](const auto& tested) { return tested.param.name; });

// The same chunk is sent several times. The first copy needs a different repair than the later copies.
struct sent_once {
  const char* name;
  std::string before, sent, first, later;  // chunks as JSON; `sent` is the first chunk of choice 1 that contains text
};

class ToldOnce : public testing::TestWithParam<sent_once> {};

TEST_P(ToldOnce, IsTakenOutOfEachRepetition) {
  std::vector<std::string> sent{role, delta(R"("content":"a")"), GetParam().before};
  std::vector<std::string> seen = sent;
  for (int text = 0; text < 10; ++text) {
    sent.push_back(say(GetParam().sent, text));
    seen.push_back(say(text == 0 ? GetParam().first : GetParam().later, text));
  }
  const auto played = play_chunks(sent).json;
  ASSERT_GE(played.size(), seen.size());
  EXPECT_EQ(std::vector<std::string>(played.begin(), played.begin() + static_cast<std::ptrdiff_t>(seen.size())), seen);
}

const std::string plain = delta(R"("content":"b")");
const std::string second_role = chunk(R"({"index":1,"delta":{"role":"assistant","content":""}})");
const std::string with_role = chunk(R"({"index":1,"delta":{"role":"assistant","content":"@"}})");
const std::string without_role = chunk(R"({"index":1,"delta":{"content":"@"}})");
const std::string finished = chunk(R"({"index":1,"delta":{"content":"@"},"finish_reason":"stop"})");
const std::string some_call =
    chunk(R"({"index":1,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"@"}}]}})");

INSTANTIATE_TEST_SUITE_P(
    Chunks, ToldOnce,
    testing::Values(
        sent_once{"Role", plain, with_role, with_role, without_role},
        sent_once{"MissingRole", plain, without_role, with_role, without_role},
        sent_once{"Finish", second_role, finished, finished, chunk(R"({"index":1,"delta":{"content":"@"},"finish_reason":null})")},
        sent_once{"Call", second_role, some_call, some_call,
                  chunk(R"({"index":1,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]}})")}),
    [](const auto& tested) { return tested.param.name; });

TEST(StreamState, StopAfterAToolCallStays) {
  const std::string call = calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})");
  EXPECT_EQ(play_chunks({role, call, stop}).json.back(), stop);
}

TEST(StreamState, AMissingFinishAfterAToolCallIsToolCalls) {
  const std::string call = calls(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})");
  EXPECT_NE(play_chunks({role, call}).json.back().find(R"("finish_reason":"tool_calls")"), std::string::npos);
}

TEST(StreamState, UnknownMembersPassUntouched) {
  const std::string rich =
      R"({ "id":"i","created":5,"system_fingerprint":"fp","choices":[{"index":0,"delta":{"role":"assistant","content":"a","extra_content":{"google":{"thought_signature":"s"}},"annotations":[1.50e3]},"logprobs":{"content":[{"token":"a","logprob":-0.10000000000000000555}]}}],"service_tier":"x" })";
  EXPECT_EQ(play_chunks({rich, stop}).json, (std::vector<std::string>{rich, stop}));
}

TEST(StreamState, GivesUpOnMoreChoicesOrCallsThanAnyHonestStreamHas) {
  std::string choices;
  for (int index = 0; index < 2000; ++index)
    choices += (index ? "," : "") + (R"({"index":)" + std::to_string(index)) + R"(,"delta":{}})";
  std::string entries;
  for (int index = 0; index < 2000; ++index)
    entries += (index ? "," : "") + (R"({"index":)" + std::to_string(index)) + R"(,"function":{"name":"f"}})";
  for (const std::string& sent : {chunk(choices), calls(entries)}) {
    const auto played = play_chunks({sent});
    ASSERT_TRUE(played.failed.has_value());
    EXPECT_EQ(played.failed->kind, failure_kind::bad_stream);
  }
}

}  // namespace
}  // namespace photofinish::proxy
