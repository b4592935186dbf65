// Tests the speech API: the gateway relays audio as it arrives, and the targets race as they do for any other answer.
#include "tests/integration/apis/audio_fixture.hpp"
#include "tests/support/gate.hpp"

#include <atomic>
#include <thread>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

const std::string sound_head = "HTTP/1.1 200 OK\r\nContent-Type: audio/wav; rate=24000\r\nTransfer-Encoding: chunked\r\n\r\n";

using speech_test = audio_fixture;

TEST_F(speech_test, SoundPassesAsItComes) {
  gate go_on;
  serve([&go_on](provider_call& call) {
    call.send(sound_head);
    call.chunk(std::string("RI\0F", 4));
    go_on.pass();
    call.chunk("second");
    call.send("0\r\n\r\n");
  });
  run();
  test_client client = connect();
  client.post(R"({"model":"r","input":"hello","voice":"v"})", "", "/v1/audio/speech");
  const http_response first = client.read_until(std::string("RI\0F", 4));  // the client gets the first bytes before the provider sends more
  EXPECT_EQ(first.field_or("content-type", ""), "audio/wav; rate=24000");
  EXPECT_EQ(first.field_or("x-race-winner", ""), "a/m");
  EXPECT_TRUE(first.field("x-race-ttft-ms"));
  go_on.open();
  const http_response rest = client.read();
  EXPECT_TRUE(rest.is_complete);
  EXPECT_TRUE(rest.body.ends_with("second")) << rest.body;
  EXPECT_TRUE(provider(0).request().head.starts_with("POST /v1/audio/speech ")) << provider(0).request().head;
  EXPECT_EQ(provider(0).request().body, R"({"model":"m","input":"hello","voice":"v"})");
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="audio_speech")", R"(outcome="ok")"});
}

TEST_F(speech_test, TheFirstByteWinsAndTheOthersAreCancelled) {
  serve(stays_silent());
  serve([](provider_call& call) {  // a target that sends only the header of a sound file, without any sound
    call.send(sound_head);
    call.hang();
  });
  serve(refuses(200, "sound", "", 20ms, "audio/mpeg"));
  run();
  const http_response got = speak();
  EXPECT_EQ(got.body, "sound");
  EXPECT_EQ(got.field_or("x-race-winner", ""), "c/m");
  EXPECT_EQ(got.field_or("content-type", ""), "audio/mpeg");
  provider(0).closed_at(provider(0).request());
  provider(1).closed_at(provider(1).request());
  expect_metric(2, "photofinish_attempts_total", {R"(outcome="lost")"});
}

TEST_F(speech_test, ASilentTargetIsHedgedAndAFailedOneFailedOver) {
  serve(stays_silent());
  serve(refuses(500, R"({"error":{"message":"broken"}})"));
  serve(refuses(200, "sound", "", {}, "audio/mpeg"));
  run(racing::race_policy::hedge);
  const http_response got = speak();
  EXPECT_EQ(got.body, "sound");
  EXPECT_EQ(got.field_or("x-race-attempts", ""), "3");
}

// A response with status 200 but without audio is a failed attempt, and never wins.
class NoSound : public speech_test, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Speech, NoSound,
                         ::testing::Values(std::pair{R"({"error":{"message":"x"}})", "application/json"},
                                           std::pair{"<html>busy</html>", "text/html"}, std::pair{"", "audio/mpeg"},
                                           std::pair{"data: {}\n\n", "text/event-stream"}));
TEST_P(NoSound, FailsOver) {
  serve(refuses(200, GetParam().first, "", {}, GetParam().second));
  serve(refuses(200, "sound", "", {}, "audio/mpeg"));
  run(racing::race_policy::fallback);
  EXPECT_EQ(speak().body, "sound");
  expect_metric(1, "photofinish_attempts_total", {R"(provider="a")", R"(outcome="failed")"});
}

TEST_F(speech_test, SoundThatIsCutIsCutForTheClient) {
  serve([](provider_call& call) {
    call.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 1000\r\n\r\nbeginning");
    call.close();
  });
  run();
  test_client client = connect();
  client.post(R"({"model":"r","input":"hello"})", "", "/v1/audio/speech");
  const http_response got = client.read();
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "beginning") << "and no error among the sound";
  EXPECT_FALSE(got.is_complete);
  EXPECT_TRUE(client.is_closed());
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="audio_speech")", R"(outcome="truncated")"});
}

// The gateway resets the connection if the answer is incomplete. In HTTP/1.0, a normal close marks the end of the body, so the client would
// mistake the incomplete answer for a complete one.
TEST_F(speech_test, AClientOfHttp10SeesACutAsAReset) {
  gate go_on;
  serve(in_turn({[&go_on](provider_call& call) {
                   call.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 1000\r\n\r\nbeginning");
                   go_on.pass();
                   call.close();
                 },
                 refuses(200, "sound", "", {}, "audio/mpeg")}));
  run();
  const std::string body = R"({"model":"r","input":"hello"})";
  const std::string request = "POST /v1/audio/speech HTTP/1.0\r\nHost: localhost\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body;
  test_client client = connect();
  client.send(request);
  client.read_until("beginning");
  go_on.open();
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(client.was_reset());
  test_client second = connect();
  second.send(request);
  EXPECT_EQ(second.read().body, "sound");
  EXPECT_TRUE(second.is_closed());
  EXPECT_FALSE(second.was_reset());
}

TEST_F(speech_test, NothingIsSaidBetweenSounds) {
  gate go_on;
  serve([&go_on](provider_call& call) {
    go_on.pass();
    call.answer(200, "sound", "", "audio/mpeg");
  });
  serve(stays_silent());
  settings.race.keepalive_after = 10ms;
  run();
  test_client client = connect();
  client.post(R"({"model":"r","input":"hello"})", "", "/v1/audio/speech");
  provider(0).request();  // has arrived
  std::this_thread::sleep_for(50ms);  // this pause is longer than keepalive_after
  go_on.open();
  EXPECT_EQ(client.read().body, "sound");
}

TEST_F(speech_test, AClientThatLeavesEndsTheSound) {
  serve([](provider_call& call) {
    call.send(sound_head);
    while (call.chunk(std::string(1000, 'x')) && call.wait(1ms)) {}
  });
  run();
  {
    test_client client = connect();
    client.post(R"({"model":"r","input":"hello"})", "", "/v1/audio/speech");
    client.read_until("xxx");
    client.reset();
  }
  provider(0).closed_at(provider(0).request());
  expect_metric(1, "photofinish_requests_total", {R"(endpoint="audio_speech")", R"(outcome="client_cancelled")"});
}

// The provider sends 256 MB of audio to a client that does not read. The gateway reads from the provider only as fast as it can write to
// the client.
TEST_F(speech_test, ASlowClientSlowsItsProvider) {
  std::atomic<std::size_t> taken{0};
  serve([&taken](provider_call& call) {
    call.send(sound_head);
    const std::string megabyte(1u << 20, 'x');
    while (taken < 256 && call.chunk(megabyte)) ++taken;
  });
  run();
  test_client client(gateway->port(), 4096);
  client.post(R"({"model":"r","input":"hello"})", "", "/v1/audio/speech");
  client.read_until("xxx");
  std::size_t before = SIZE_MAX;
  EXPECT_TRUE(comes_true([&] {  // waits until the provider cannot send any more, long before the end of its audio
    std::this_thread::sleep_for(200ms);
    return std::exchange(before, taken.load()) == taken.load();
  }));
  EXPECT_LT(taken.load(), 64u);
  EXPECT_LT(metric("photofinish_memory_used_bytes"), 2e6);
  client.reset();
}

TEST_F(speech_test, SpeechAsEventsPassesWithItsNames) {
  const std::string events =
      "event: speech.audio.delta\ndata: {\"type\":\"speech.audio.delta\",\"audio\":\"UklGRg==\"}\n\n"
      "event: speech.audio.done\ndata: {\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":3,\"output_tokens\":9}}\n\n";
  serve(sends_stream(events)).prices.emplace("m", *proxy::parse_prices("1000000/1000000"));  // each token costs a dollar
  run();
  const http_response got = speak(R"(,"stream_format":"sse")");
  EXPECT_EQ(got.field_or("content-type", ""), "text/event-stream");
  EXPECT_EQ(got.body, events);
  EXPECT_TRUE(got.is_complete);
  expect_metric(12, "photofinish_cost_usd_total", {R"(provider="a")", R"(kind="winner")"});
}

}  // namespace
}  // namespace photofinish::testing
