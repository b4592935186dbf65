// Tests the conversion of a non-streamed response to the events of an equivalent stream.
#include "proxy/dialects/responses/whole_response.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

std::string response_of(std::string_view output, std::string_view status = "completed") {
  return R"({"id":"resp_1","status":")" + std::string(status) + R"(","output":[)" + std::string(output) + "]}";
}

std::vector<json> events_of(std::string body, given_events given = given_events::all) {
  std::vector<json> events;
  whole_response response(std::move(body), "req_7", given);
  EXPECT_FALSE(response.is_overfull());
  while (!response.is_over()) {
    events.push_back(json::parse(response.next_event()));
    EXPECT_EQ(events.back().at("sequence_number"), events.size() - 1);
    events.back().erase("sequence_number");
  }
  return events;
}

std::vector<std::string> types_in(const std::vector<json>& events) {
  std::vector<std::string> types;
  for (const json& each : events) types.push_back(each.at("type"));
  return types;
}

// Returns all events, except the events about the response as a whole.
json item_events(const std::string& body) {
  json events = json::array();
  for (json& each : events_of(body))
    if (!each.contains("response")) events.push_back(std::move(each));
  return events;
}

struct one_item {
  const char* name;
  const char* item;
  const char* events;  // the expected events, without "response." in the type and without the output_index 0
  const char* status = "completed";
};
class AnItem : public ::testing::TestWithParam<one_item> {};
INSTANTIATE_TEST_SUITE_P(
    WholeResponse, AnItem,
    ::testing::Values(
        one_item{"text", R"({"id":"m","type":"message","status":"completed","role":"assistant","content":[
                   {"type":"output_text","text":"Hi \u00e4","annotations":[{"type":"url_citation","url":"u"},{"type":"file_path"}],
                    "logprobs":[{"token":"Hi"}]}]})",
                 R"([{"type":"output_item.added","item":{"id":"m","type":"message","status":"in_progress","role":"assistant","content":[]}},
                     {"type":"content_part.added","item_id":"m","content_index":0,
                      "part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}},
                     {"type":"output_text.delta","item_id":"m","content_index":0,"delta":"Hi \u00e4","logprobs":[{"token":"Hi"}]},
                     {"type":"output_text.annotation.added","item_id":"m","content_index":0,"annotation_index":0,
                      "annotation":{"type":"url_citation","url":"u"}},
                     {"type":"output_text.annotation.added","item_id":"m","content_index":0,"annotation_index":1,
                      "annotation":{"type":"file_path"}},
                     {"type":"output_text.done","item_id":"m","content_index":0,"text":"Hi \u00e4","logprobs":[{"token":"Hi"}]},
                     {"type":"content_part.done","item_id":"m","content_index":0,"part":"CONTENT 0"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"parts", R"({"id":"m","type":"message","content":[{"type":"output_text","text":""},{"type":"refusal","refusal":"No"},
                    {"type":"sketch","data":[1]}]})",
                 R"([{"type":"output_item.added","item":{"id":"m","type":"message","content":[]}},
                     {"type":"content_part.added","item_id":"m","content_index":0,"part":{"type":"output_text","text":""}},
                     {"type":"output_text.done","item_id":"m","content_index":0,"text":"","logprobs":[]},
                     {"type":"content_part.done","item_id":"m","content_index":0,"part":"CONTENT 0"},
                     {"type":"content_part.added","item_id":"m","content_index":1,"part":{"type":"refusal","refusal":""}},
                     {"type":"refusal.delta","item_id":"m","content_index":1,"delta":"No"},
                     {"type":"refusal.done","item_id":"m","content_index":1,"refusal":"No"},
                     {"type":"content_part.done","item_id":"m","content_index":1,"part":"CONTENT 1"},
                     {"type":"content_part.added","item_id":"m","content_index":2,"part":"CONTENT 2"},
                     {"type":"content_part.done","item_id":"m","content_index":2,"part":"CONTENT 2"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"no_content", R"({"id":"m","type":"message","content":[]})",
                 R"([{"type":"output_item.added","item":"ITEM"},{"type":"output_item.done","item":"ITEM"}])"},
        one_item{"summary", R"({"id":"r","type":"reasoning","encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"a"},
                    {"type":"summary_text","text":"b"}]})",
                 R"([{"type":"output_item.added","item":{"id":"r","type":"reasoning","encrypted_content":null,"summary":[]}},
                     {"type":"reasoning_summary_part.added","item_id":"r","summary_index":0,"part":{"type":"summary_text","text":""}},
                     {"type":"reasoning_summary_text.delta","item_id":"r","summary_index":0,"delta":"a"},
                     {"type":"reasoning_summary_text.done","item_id":"r","summary_index":0,"text":"a"},
                     {"type":"reasoning_summary_part.done","item_id":"r","summary_index":0,"part":"SUMMARY 0"},
                     {"type":"reasoning_summary_part.added","item_id":"r","summary_index":1,"part":{"type":"summary_text","text":""}},
                     {"type":"reasoning_summary_text.delta","item_id":"r","summary_index":1,"delta":"b"},
                     {"type":"reasoning_summary_text.done","item_id":"r","summary_index":1,"text":"b"},
                     {"type":"reasoning_summary_part.done","item_id":"r","summary_index":1,"part":"SUMMARY 1"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"thoughts", R"({"id":"r","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]})",
                 R"([{"type":"output_item.added","item":{"id":"r","type":"reasoning","summary":[],"content":[]}},
                     {"type":"content_part.added","item_id":"r","content_index":0,"part":{"type":"reasoning_text","text":""}},
                     {"type":"reasoning_text.delta","item_id":"r","content_index":0,"delta":"hm"},
                     {"type":"reasoning_text.done","item_id":"r","content_index":0,"text":"hm"},
                     {"type":"content_part.done","item_id":"r","content_index":0,"part":"CONTENT 0"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"function", R"({"id":"f","type":"function_call","status":"completed","call_id":"c","name":"go","arguments":"{\"a\":1}"})",
                 R"([{"type":"output_item.added","item":{"id":"f","type":"function_call","status":"in_progress","call_id":"c","name":"go",
                      "arguments":""}},
                     {"type":"function_call_arguments.delta","item_id":"f","delta":"{\"a\":1}"},
                     {"type":"function_call_arguments.done","item_id":"f","name":"go","arguments":"{\"a\":1}"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"arguments_as_an_object", R"({"id":"f","type":"function_call","call_id":"c","name":"go","arguments":{"a":1}})",
                 R"([{"type":"output_item.added","item":{"id":"f","type":"function_call","call_id":"c","name":"go","arguments":""}},
                     {"type":"function_call_arguments.delta","item_id":"f","delta":"{\"a\":1}"},
                     {"type":"function_call_arguments.done","item_id":"f","name":"go","arguments":"{\"a\":1}"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"custom", R"({"id":"x","type":"custom_tool_call","call_id":"c","name":"patch","input":"*** Begin"})",
                 R"([{"type":"output_item.added","item":{"id":"x","type":"custom_tool_call","call_id":"c","name":"patch","input":""}},
                     {"type":"custom_tool_call_input.delta","item_id":"x","delta":"*** Begin"},
                     {"type":"custom_tool_call_input.done","item_id":"x","input":"*** Begin"},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"cut_function", R"({"id":"f","type":"function_call","status":"incomplete","call_id":"c","name":"go","arguments":"{\"a"})",
                 R"([{"type":"output_item.added","item":{"id":"f","type":"function_call","status":"in_progress","call_id":"c","name":"go",
                      "arguments":""}},
                     {"type":"function_call_arguments.delta","item_id":"f","delta":"{\"a"}])",
                 "incomplete"},
        one_item{"cut_without_a_status", R"({"id":"f","type":"function_call","call_id":"c","name":"go","arguments":"{\"a"})",
                 R"([{"type":"output_item.added","item":{"id":"f","type":"function_call","call_id":"c","name":"go","arguments":""}},
                     {"type":"function_call_arguments.delta","item_id":"f","delta":"{\"a"}])",
                 "incomplete"},
        one_item{"whole_without_a_status", R"({"id":"f","type":"function_call","call_id":"c","name":"go","arguments":"{}"})",
                 R"([{"type":"output_item.added","item":{"id":"f","type":"function_call","call_id":"c","name":"go","arguments":""}},
                     {"type":"function_call_arguments.delta","item_id":"f","delta":"{}"},
                     {"type":"function_call_arguments.done","item_id":"f","name":"go","arguments":"{}"},
                     {"type":"output_item.done","item":"ITEM"}])",
                 "incomplete"},
        one_item{"search", R"({"id":"w","type":"web_search_call","status":"completed","action":{"type":"search"}})",
                 R"([{"type":"output_item.added","item":{"id":"w","type":"web_search_call","status":"in_progress",
                      "action":{"type":"search"}}},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"image", R"({"id":"i","type":"image_generation_call","status":"completed","result":"UklG"})",
                 R"([{"type":"output_item.added","item":{"id":"i","type":"image_generation_call","status":"in_progress","result":null}},
                     {"type":"output_item.done","item":"ITEM"}])"},
        one_item{"unknown", R"({"id":"z","type":"to_come","content":[{"type":"output_text","text":"x"}]})",
                 R"([{"type":"output_item.added","item":"ITEM"},{"type":"output_item.done","item":"ITEM"}])"}),
    [](const auto& tested) { return tested.param.name; });
TEST_P(AnItem, IsGivenByItsEventsInTheirOrder) {
  const json item = json::parse(GetParam().item);
  json expected = json::parse(GetParam().events);
  const auto fill = [&item](json& value) {
    if (!value.is_string()) return;
    const std::string text = value;
    if (text == "ITEM") value = item;
    else if (text.starts_with("CONTENT ")) value = item.at("content").at(text.back() - '0');
    else if (text.starts_with("SUMMARY ")) value = item.at("summary").at(text.back() - '0');
  };
  for (json& each : expected) {
    each["type"] = "response." + each.at("type").get<std::string>();
    each["output_index"] = 0;
    for (const char* key : {"item", "part"})
      if (each.contains(key)) fill(each[key]);
  }
  std::string body = response_of(GetParam().item, GetParam().status);
  std::replace(body.begin(), body.end(), '\n', ' ');
  const json given = item_events(body);
  EXPECT_EQ(given, expected) << given.dump(1);
}

TEST(WholeResponse, BeginsWithTheResponseBeforeItsFirstItemAndEndsWithAllOfIt) {
  const std::string body =
      R"({"id":"resp_1","status":"completed","completed_at":9,"instructions":"x","output":[],"output_text":"","usage":{"input_tokens":1}})";
  const auto events = events_of(body);
  ASSERT_EQ(types_in(events), (std::vector<std::string>{"response.created", "response.in_progress", "response.completed"}));
  json begun = json::parse(body);
  begun["status"] = "in_progress";
  begun["completed_at"] = begun["usage"] = nullptr;
  EXPECT_EQ(events[0].at("response"), begun);
  EXPECT_EQ(events[1].at("response"), begun);
  EXPECT_EQ(events[2].at("response"), json::parse(body));
}

TEST(WholeResponse, ItemsAreCountedInTheirOrder) {
  const std::string thought = R"({"id":"r","type":"reasoning","summary":[]},)";
  const std::string message = R"({"id":"m","type":"message","content":[{"type":"output_text","text":"x"}]},)";
  const std::string call = R"({"id":"f","type":"function_call","call_id":"c","name":"go","arguments":"{}"})";
  const json events = item_events(response_of(thought + message + call));
  std::vector<int> indexes;
  for (const json& each : events) indexes.push_back(each.at("output_index"));
  EXPECT_EQ(indexes, (std::vector{0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(WholeResponse, OnlyTheLastCallOfACutResponseMayBeCut) {
  const std::string call = R"({"id":"f","type":"function_call","call_id":"c","name":"go","arguments":"{"})";
  const json events = item_events(response_of(call + "," + call, "incomplete"));
  std::vector<int> done;
  for (const json& each : events)
    if (each.at("type") == "response.output_item.done") done.push_back(each.at("output_index"));
  EXPECT_EQ(done, std::vector{0});
}

TEST(WholeResponse, AnItemWithoutAnIdGetsOneInAllItsEvents) {
  const std::string items = R"({"type":"message","content":[{"type":"output_text","text":"x"}]},{"id":null,"type":"function_call"},
      {"id":"","type":"file_search_call"},{"type":"reasoning","summary":[]})";
  std::string body = response_of(items);
  std::replace(body.begin(), body.end(), '\n', ' ');
  const auto events = events_of(body);
  const std::vector<std::string> expected{"msg_req_7_0", "fc_req_7_1", "item_req_7_2", "rs_req_7_3"};
  const json& output = events.back().at("response").at("output");
  for (std::size_t at = 0; at < expected.size(); ++at) EXPECT_EQ(output.at(at).at("id"), expected[at]);
  for (const json& each : events) {
    if (!each.contains("output_index")) continue;
    EXPECT_EQ(each.contains("item") ? each.at("item").at("id") : each.at("item_id"), expected.at(each.at("output_index")));
  }
}

TEST(WholeResponse, EncryptedReasoningWithoutAnIdStaysWithoutOne) {
  const std::string item = R"({"type":"reasoning","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"gAAA"})";
  const auto events = events_of(response_of(item));
  EXPECT_EQ(events.back().at("response").at("output").at(0), json::parse(item));
  for (const json& each : events) EXPECT_EQ(each.value("item_id", "rs_0"), "rs_0");
}

TEST(WholeResponse, WhatIsWorkedOnInTheBackgroundHasNoItemsYet) {
  const std::string item = R"({"id":"m","type":"message","content":[{"type":"output_text","text":"x"}]})";
  for (const std::string status : {"queued", "in_progress"}) {
    const auto events = events_of(response_of(item, status));
    ASSERT_EQ(types_in(events), (std::vector<std::string>{"response.created", "response." + status}));
    EXPECT_EQ(events[0].at("response").at("status"), status);
    EXPECT_EQ(events[1].at("response"), json::parse(response_of(item, status)));
  }
}

TEST(WholeResponse, AReaderOfWholeAnswersGetsTheLastEventAlone) {
  const std::string item = R"({"type":"message","content":[]})";
  for (const std::string status : {"queued", "incomplete", "completed", "another"}) {
    const auto events = events_of(response_of(item, status), given_events::last);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].at("type"), "response." + (status == "another" ? "completed" : status));
    EXPECT_EQ(events[0].at("response"), json::parse(response_of(item, status)));
  }
}

TEST(WholeResponse, ATranslationGetsAnEndWhateverTheStatusIs) {
  for (const std::string status : {"queued", "in_progress", "completed"})
    EXPECT_EQ(types_in(events_of(response_of("", status), given_events::end)), std::vector<std::string>{"response.completed"});
  EXPECT_EQ(types_in(events_of(response_of("", "incomplete"), given_events::end)), std::vector<std::string>{"response.incomplete"});
}

TEST(WholeResponse, TooManyItemsPartsOrAnnotationsAreTooMuch) {
  const auto list_of = [](std::size_t count) {
    std::string list = "0";
    for (std::size_t each = 1; each < count; ++each) list += ",0";
    return list;
  };
  const auto is_overfull = [](const std::string& output) {
    return whole_response(response_of(output), "", given_events::all).is_overfull();
  };
  EXPECT_FALSE(is_overfull(list_of(most_said)));
  EXPECT_TRUE(is_overfull(list_of(most_said + 1)));
  EXPECT_TRUE(is_overfull(R"({"type":"message","content":[)" + list_of(most_said) + "]}"));
  EXPECT_TRUE(is_overfull(R"({"type":"reasoning","summary":[)" + list_of(most_said) + "]}"));
  EXPECT_TRUE(is_overfull(R"({"type":"message","content":[{"annotations":[)" + list_of(most_said) + "]}]}"));
}

// The events of a long answer are about five times as large as the answer. They repeat the text in the delta, in three final events, and in
// the complete response.
TEST(WholeResponse, ALongAnswerIsRepeatedAFewTimesAndNeverHeldMoreThanTwice) {
  const std::string longest_id(1u << 20, 'i'), text(4u << 20, 'x');
  const std::string item = R"({"id":")" + longest_id + R"(","type":"message","content":[{"type":"output_text","text":")" + text;
  const std::string body = response_of(item + R"(","annotations":[0,1,2,3,4,5,6,7]}]})");
  const std::size_t bytes = body.size();
  whole_response response(body, "", given_events::all);
  std::size_t given = 0, most_held = 0;
  while (!response.is_over()) {
    given += response.next_event().size();
    most_held = std::max(most_held, response.held_bytes());
  }
  EXPECT_LT(given, 6 * bytes);
  EXPECT_LT(most_held, 2 * bytes + 1024);
}

}  // namespace
}  // namespace photofinish::proxy
