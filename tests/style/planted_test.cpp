// Tests every rule with one file that breaks the rule and one file that follows it.
#include "tests/style/rules.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

using planted_files = std::vector<std::pair<std::string, std::string>>;

struct planted {
  std::string name;
  violations (*rule)(const source_tree&);
  planted_files files;
  std::string caught_at;  // "path:line" of the expected violation; empty if no violation is expected
};

void PrintTo(const planted& each, std::ostream* out) { *out << each.name; }

const std::string pure = "// Rules. [pure]\n";

// Creates `files` files in one folder.
planted_files crowd(std::size_t files) {
  planted_files all;
  for (std::size_t at = 0; at < files; ++at) all.emplace_back("proxy/net/a" + std::to_string(at) + ".hpp", "\n");
  return all;
}

const std::string summary = "## Problem\nA.\n\n## Choice\nB.\n\n## Consequences\nC.\n";

// Creates one decision, and an index that lists it.
planted_files decision(const std::string& text) {
  return {{"docs/decisions/0023-rooms.md", text},
          {"docs/decisions/README.md",
           "| number | decision | in one line |\n|---|---|---|\n| 23 | [Rooms](0023-rooms.md) | R. |\n"}};
}

const std::vector<planted>& cases() {
  static const std::vector<planted> all{
      {"MetricsIncludesASibling", folder_arrows, {{"metrics/a.cpp", "\n#include \"proxy/providers/url.hpp\"\n"}}, "metrics/a.cpp:2"},
      {"ProxyIncludesRacing", folder_arrows, {{"proxy/a.hpp", "#include \"racing/race.hpp\"\n"}}, "proxy/a.hpp:1"},
      {"ProxyIncludesMetrics", folder_arrows, {{"proxy/a.hpp", "#include \"metrics/names.hpp\"\n"}}, "proxy/a.hpp:1"},
      {"RacingIncludesGateway", folder_arrows, {{"racing/a.hpp", "#include \"gateway/server/app.hpp\"\n"}}, "racing/a.hpp:1"},
      {"RacingIncludesMetrics", folder_arrows, {{"racing/a.hpp", "#include \"metrics/names.hpp\"\n"}}, "racing/a.hpp:1"},
      {"ProductIncludesTests", folder_arrows, {{"gateway/a.cpp", "#include \"tests/support/x.hpp\"\n"}}, "gateway/a.cpp:1"},
      {"ProductIncludesWithoutItsFolder", folder_arrows, {{"gateway/a.cpp", "#include \"app.hpp\"\n"}}, "gateway/a.cpp:1"},
      {"GatewayIncludesAll", folder_arrows, {{"gateway/a.cpp", "#include \"racing/r.hpp\"\n#include \"metrics/m.hpp\"\n"}}, ""},
      {"AnIncludeInACommentCountsNot", folder_arrows, {{"proxy/a.cpp", "/*\n#include \"racing/r.hpp\"\n*/\n"}}, ""},

      {"TwoHeadersInALoop", include_loops,
       {{"proxy/a.hpp", "#include \"proxy/b.hpp\"\n"}, {"proxy/b.hpp", "\n#include \"proxy/a.hpp\"\n"}}, "proxy/b.hpp:2"},
      {"AHeaderThatIncludesItself", include_loops, {{"proxy/a.hpp", "#include \"proxy/a.hpp\"\n"}}, "proxy/a.hpp:1"},
      {"ADiamondIsNoLoop", include_loops,
       {{"proxy/a.hpp", "#include \"proxy/b.hpp\"\n#include \"proxy/c.hpp\"\n"},
        {"proxy/b.hpp", "#include \"proxy/c.hpp\"\n"}, {"proxy/c.hpp", "\n"}}, ""},

      {"ALoopThroughTwoSources", include_loops,
       {{"proxy/a.hpp", "\n"}, {"proxy/b.hpp", "\n"}, {"proxy/a.cpp", "#include \"proxy/a.hpp\"\n#include \"proxy/b.hpp\"\n"},
        {"proxy/b.cpp", "#include \"proxy/b.hpp\"\n#include \"proxy/a.hpp\"\n"}}, "proxy/b.cpp:2"},
      {"AHeaderThatOnlyItsOwnSourceIncludes", headers_without_a_reader,
       {{"proxy/a.hpp", "\n"}, {"proxy/a.cpp", "#include \"proxy/a.hpp\"\n"}}, "proxy/a.hpp:1"},
      {"AHeaderWithAReader", headers_without_a_reader, {{"proxy/a.hpp", "\n"}, {"tests/b.cpp", "#include \"proxy/a.hpp\"\n"}}, ""},
      {"ARoomThatIncludesAHigherOne", room_order, {{"proxy/net/a.hpp", "\n#include \"proxy/http/b.hpp\"\n"}}, "proxy/net/a.hpp:2"},
      {"ARoomThatIncludesTheFolderAroundIt", room_order, {{"proxy/net/a.hpp", "#include \"proxy/b.hpp\"\n"}}, "proxy/net/a.hpp:1"},
      {"ARoomThatIsNotInTheTable", room_order, {{"gateway/attic/a.hpp", "\n"}}, "gateway/attic/a.hpp:1"},
      {"ARoomThatIncludesItselfAndLowerOnes", room_order,
       {{"gateway/http/a.hpp", "#include \"gateway/http/b.hpp\"\n#include \"proxy/net/c.hpp\"\n"}}, ""},
      {"AFolderOf27Files", crowded_folders, crowd(27), "proxy/net:1"},
      {"AFolderOf26Files", crowded_folders, crowd(26), ""},
      {"ACommentThatNamesAFileThatIsGone", unknown_files_in_comments, {{"proxy/a.hpp", "// See b.hpp.\n"}}, "proxy/a.hpp:1"},
      {"ACommentThatNamesAFileInAnotherRoom", unknown_files_in_comments,
       {{"proxy/a.hpp", "\nint a;  // as net/c.hpp says\n"}, {"proxy/http/c.hpp", "\n"}}, "proxy/a.hpp:2"},
      {"ACommentThatNamesAFileThatThereIs", unknown_files_in_comments,
       {{"proxy/a.hpp", "// See c.hpp, and proxy/net/c.hpp.\n"}, {"proxy/net/c.hpp", "\n"}}, ""},
      {"ACommentThatNamesAFunctionThatIsGone", unknown_names_in_comments, {{"proxy/a.hpp", "int b();\n// as c() does\n"}}, "proxy/a.hpp:2"},
      {"ACommentThatNamesAMemberThatIsGone", unknown_names_in_comments, {{"proxy/a.hpp", "// `old_name` is 0\nint new_name;\n"}}, "proxy/a.hpp:1"},
      {"ACommentThatNamesWhatThereIs", unknown_names_in_comments,
       {{"proxy/a.hpp", "// run() and max_body, a_file.hpp\nvoid run();\n"}, {"proxy/b.cpp", "read(\"max_body\");\n"}}, ""},
      {"PureIncludesAsio", impure_includes, {{"racing/a.hpp", pure + "#include <boost/asio/awaitable.hpp>\n"}}, "racing/a.hpp:2"},
      {"PureIncludesSockets", impure_includes, {{"racing/a.hpp", pure + "#include <sys/socket.h>\n"}}, "racing/a.hpp:2"},
      {"PureIncludesStreams", impure_includes, {{"racing/a.hpp", pure + "#include <iostream>\n"}}, "racing/a.hpp:2"},
      {"PureIncludesYaml", impure_includes, {{"proxy/a.hpp", pure + "#include <yaml-cpp/yaml.h>\n"}}, "proxy/a.hpp:2"},
      {"PureIncludesAnImpureHeader", impure_includes,
       {{"racing/a.hpp", pure + "#include \"proxy/b.hpp\"\n"}, {"proxy/b.hpp", "// Sockets.\n"}}, "racing/a.hpp:2"},
      {"ThePureHeadersSourceIsPureToo", impure_includes,
       {{"racing/a.hpp", pure}, {"racing/a.cpp", "#include \"racing/a.hpp\"\n#include <fstream>\n"}}, "racing/a.cpp:2"},
      {"ASourceWithoutAHeaderBelongsToItsFirstInclude", impure_includes,
       {{"gateway/s/all.hpp", pure}, {"gateway/s/one.cpp", "#include \"gateway/s/all.hpp\"\n#include <thread>\n"}},
       "gateway/s/one.cpp:2"},
      {"PureSaysItOnItsSecondLine", impure_includes, {{"racing/a.hpp", "// Rules.\n// Of a race. [pure]\n#include <thread>\n"}},
       "racing/a.hpp:3"},
      {"AnExceptionAllowsOnlyItself", impure_includes,
       {{"proxy/a.hpp", "// Text. [pure but for yaml-cpp]\n#include <arpa/inet.h>\n"}}, "proxy/a.hpp:2"},
      {"AnUnknownException", impure_includes, {{"proxy/a.hpp", "// Text. [pure but for sockets]\n"}}, "proxy/a.hpp:1"},
      {"AnExceptionAllowsItself", impure_includes, {{"proxy/a.hpp", "// [pure but for inet_pton]\n#include <arpa/inet.h>\n"}}, ""},
      {"PureIncludesWhatItMay", impure_includes,
       {{"proxy/a.hpp", pure + "#include \"proxy/b.hpp\"\n#include <simdjson.h>\n#include <nlohmann/json.hpp>\n#include <string_view>\n"},
        {"proxy/b.hpp", pure}}, ""},
      {"AnImpureFileMayIncludeAnything", impure_includes, {{"proxy/a.hpp", "// I/O.\n#include <sys/socket.h>\n"}}, ""},

      {"PureReadsAClock", impure_deeds, {{"racing/a.hpp", pure + "auto t = std::chrono::steady_clock::now();\n"}}, "racing/a.hpp:2"},
      {"PureWritesALog", impure_deeds, {{"racing/a.hpp", pure + "\nspdlog::info(x);\n"}}, "racing/a.hpp:3"},
      {"PureAsksTheEnvironment", impure_deeds, {{"racing/a.hpp", pure + "auto v = std::getenv(n);\n"}}, "racing/a.hpp:2"},
      {"PureAsksChance", impure_deeds, {{"racing/a.hpp", pure + "std::random_device d;\n"}}, "racing/a.hpp:2"},
      {"PureKeepsState", impure_deeds, {{"racing/a.hpp", pure + "thread_local int seen;\n"}}, "racing/a.hpp:2"},
      {"PureMayRememberAnswersIfItSaysSo", impure_deeds,
       {{"proxy/a.hpp", "// [pure but for yaml-cpp and answers it remembers]\nthread_local int seen;\n"}}, ""},
      {"AnExceptionExcusesNoClock", impure_deeds,
       {{"proxy/a.hpp", "// [pure but for Beast]\nauto t = clock::now();\n"}}, "proxy/a.hpp:2"},
      {"PureIsHandedATime", impure_deeds, {{"racing/a.hpp", pure + "virtual instant now() const = 0;  // not clock::now()\n"}}, ""},

      {"AwaitInAWhileCondition", awaits_in_conditions, {{"proxy/a.cpp", "\nwhile (co_await next()) {}\n"}}, "proxy/a.cpp:2"},
      {"AwaitDeepInAWhileCondition", awaits_in_conditions,
       {{"proxy/a.cpp", "while (is_open() &&\n       (x = f(co_await next()))) go();\n"}}, "proxy/a.cpp:1"},
      {"AwaitInTheEndOfADoLoop", awaits_in_conditions, {{"proxy/a.cpp", "do {\n} while (co_await more());\n"}}, "proxy/a.cpp:2"},
      {"AwaitInAnIfCondition", awaits_in_conditions, {{"proxy/a.cpp", "\nif (auto e = co_await f()) stop();\n"}}, "proxy/a.cpp:2"},
      {"AwaitInAForCondition", awaits_in_conditions, {{"proxy/a.cpp", "for (auto x : co_await f()) go(x);\n"}}, "proxy/a.cpp:1"},
      {"AwaitBehindAnOr", awaits_in_conditions, {{"proxy/a.cpp", "const bool is = empty ||\n  co_await f();\n"}}, "proxy/a.cpp:2"},
      {"AwaitInAChoice", awaits_in_conditions, {{"proxy/a.cpp", "x = is ? co_await f() : 1;\n"}}, "proxy/a.cpp:1"},
      {"AwaitBehindAnIf", awaits_in_conditions, {{"proxy/a.cpp", "if (error) then = co_await f();\nelse co_await g();\n"}}, ""},
      {"AwaitInALoopsBody", awaits_in_conditions, {{"proxy/a.cpp", "while (!done) co_await next();\n"}}, ""},

      {"DesignatedAggregateInAnAwait", temporaries_in_awaits,
       {{"proxy/a.cpp", "\nco_await upstream.open({.model = model});\n"}}, "proxy/a.cpp:2"},
      {"NamedAggregateInAnAwait", temporaries_in_awaits,
       {{"proxy/a.cpp", "auto x = co_await open(chat{ .model = model });\n"}}, "proxy/a.cpp:1"},
      {"BracedArgumentInAnAwait", temporaries_in_awaits, {{"proxy/a.cpp", "co_await open(1, {model, key});\n"}}, "proxy/a.cpp:1"},
      {"ReferencingLambdaInAnAwait", temporaries_in_awaits,
       {{"proxy/a.cpp", "co_await run(\n    [&] { return 1; });\n"}}, "proxy/a.cpp:1"},
      {"CopyingLambdaInAnAwait", temporaries_in_awaits, {{"proxy/a.cpp", "co_await run(1, [=] { return 1; });\n"}}, "proxy/a.cpp:1"},
      {"ThisLambdaInAnAwait", temporaries_in_awaits, {{"proxy/a.cpp", "if (co_await run([this] { go(); })) stop();\n"}}, "proxy/a.cpp:1"},
      {"NamedCaptureInAnAwait", temporaries_in_awaits, {{"proxy/a.cpp", "co_await run([x = y] { go(x); });\n"}}, "proxy/a.cpp:1"},
      {"PlainCaptureInAnAwait", temporaries_in_awaits, {{"proxy/a.cpp", "co_await run([key] { go(key); });\n"}}, "proxy/a.cpp:1"},
      {"WhatIsNamedFirstIsFine", temporaries_in_awaits,
       {{"proxy/a.cpp", "chat c{.model = m};\nauto f = [&] {};\nif (co_await open(c, list[i], f)) { g({.a = 1}); }\n"}}, ""},

      {"ChoiceInAnAwait", choices_in_awaits, {{"proxy/a.cpp", "\nco_await open(is ? name() : other());\n"}}, "proxy/a.cpp:2"},
      {"ChoiceBetweenTwoLines", choices_in_awaits, {{"proxy/a.cpp", "x = co_await open(1,\n  is ? a : b);\n"}}, "proxy/a.cpp:1"},
      {"ChoiceBesideAnAwait", choices_in_awaits,
       {{"proxy/a.cpp", "auto n = is ? a : b;\nco_await open(n);\nf(is ? \"co_await\" : b);  // why?\n"}}, ""},

      {"ALoopOverAPartOfAParsedText", loops_over_parts_of_parsed_texts,
       {{"proxy/a.cpp", "\nfor (const json& each : json::parse(of(text)).at(\"a\")) go(each);\n"}}, "proxy/a.cpp:2"},
      {"ALoopOverAParsedText", loops_over_parts_of_parsed_texts,
       {{"proxy/a.cpp", "for (const json& each : json::parse(of(text))) go(each.at(1));\n"}}, ""},
      {"AStringOfItsHeaderGivenNothing", strings_that_keep_their_room,
       {{"gateway/a.hpp", "std::string& batch_;\n"}, {"gateway/a.cpp", "\nif (is_long) batch_ = {};\n"}}, "gateway/a.cpp:2"},
      {"AStringOfItsFileGivenNothing", strings_that_keep_their_room,
       {{"proxy/a.cpp", "std::string text(9, 'x');\nf(text); text = {};\n"}}, "proxy/a.cpp:2"},
      {"AMemberGivenAnEmptyString", strings_that_keep_their_room,
       {{"proxy/a.cpp", "request.body = std::string();  // now\n"}}, "proxy/a.cpp:1"},
      {"OthersGivenNothing", strings_that_keep_their_room,
       {{"proxy/a.hpp", "std::string_view data_;\nstd::string text = {};\n"},
        {"proxy/a.cpp", "data_ = {};\nvoid f(std::string_view text) {\n  text = {};\n}\nwhy.text = {};\n"}}, ""},
      {"AStringThatIsShrunk", strings_that_keep_their_room,
       {{"proxy/a.cpp", "std::string text;\nconst std::string none = {};\ntext.clear();\ntext.shrink_to_fit();\n"}}, ""},

      {"AConstantOfAHeaderHidden", hidden_constants,
       {{"proxy/a.hpp", "namespace photofinish::proxy {\ninline constexpr std::size_t most = 64, least{2};\n"},
        {"proxy/b.cpp", "namespace photofinish::proxy {\nnamespace {\nvoid f() {\n}\nconstexpr std::size_t least = 1;\n"}},
       "proxy/b.cpp:5"},
      {"AConstantOfAnotherNamespace", hidden_constants,
       {{"gateway/bench/a.hpp", "namespace photofinish::gateway::bench {\ninline constexpr std::size_t most = 64;\n"},
        {"gateway/b.cpp", "namespace photofinish::gateway {\nnamespace {\nconstexpr std::size_t most = 1;\n"}},
       ""},
      {"AConstantBehindTheUnnamedNamespace", hidden_constants,
       {{"proxy/a.hpp", "namespace photofinish::proxy {\ninline constexpr std::size_t most = 64;\n"},
        {"proxy/b.cpp", "namespace photofinish::proxy {\nnamespace {\n}  // namespace\nconstexpr std::size_t most = 1;\n"}},
       ""},
      {"Detached", banned_words, {{"proxy/a.cpp", "co_spawn(x, f(), asio::detached);\n"}}, "proxy/a.cpp:1"},
      {"ASpawnWithoutTheHelper", dropped_exceptions, {{"gateway/a.cpp", "\nco_spawn(x, f(), ended);\n"}}, "gateway/a.cpp:2"},
      {"AnExceptionWithoutAName", dropped_exceptions,
       {{"proxy/a.cpp", "proxy::spawn(x, a, f(), [this](std::exception_ptr) {\n  --children_;\n});\n"}}, "proxy/a.cpp:1"},
      {"AnExceptionThatIsNotLookedAt", dropped_exceptions,
       {{"racing/a.cpp", "const auto end = [](const std::exception_ptr& bug, int n) { take(n); };\nf(bug);\n"}}, "racing/a.cpp:1"},
      {"ExceptionsThatAreLookedAt", dropped_exceptions,
       {{"proxy/a.cpp", "spawn(x, a, f(), [this](const std::exception_ptr& bug) {\n  ended(bug);\n});\nspawn(x, a, f(), [] {});\n"},
        {"proxy/b.hpp", "void f(const std::exception_ptr&);\nawait(co_spawn(x, f(), asio::use_awaitable));\n"},
        {"proxy/loop/spawn.hpp", "co_spawn(x, f(), ended);\n"},
        {"tests/c.cpp", "co_spawn(x, f(), [](std::exception_ptr) {});\n"}}, ""},
      {"Channel", banned_words, {{"proxy/a.cpp", "asio::experimental::channel<void()> c;\n"}}, "proxy/a.cpp:1"},
      {"ExperimentalInclude", banned_words, {{"proxy/a.cpp", "#include <boost/asio/experimental/parallel_group.hpp>\n"}}, "proxy/a.cpp:1"},
      {"AllOfAsio", banned_words, {{"proxy/a.cpp", "#include <boost/asio.hpp>\n"}}, "proxy/a.cpp:1"},
      {"BeastReads", banned_words, {{"tests/a.cpp", "\nhttp::async_read(s, b, p);\n"}}, "tests/a.cpp:2"},
      {"AwaitableOperators", banned_words, {{"proxy/a.cpp", "using namespace asio::experimental::awaitable_operators;\n"}}, "proxy/a.cpp:1"},
      {"ATableOfAPeersTexts", tables_that_peers_can_slow_down,
       {{"proxy/a.hpp", "#include <unordered_map>\nstd::unordered_map<std::string_view, int> results_;\n"}}, "proxy/a.hpp:2"},
      {"ASetOfAPeersNumbers", tables_that_peers_can_slow_down,
       {{"gateway/api/a.hpp", "std::unordered_set<std::int64_t> parts_;\n"}}, "gateway/api/a.hpp:1"},
      {"ATableOfTheConfigurationsTexts", tables_that_peers_can_slow_down,
       {{"racing/forecast/forecaster.hpp", "std::unordered_map<std::string, int> targets_;\n"}}, ""},
      {"ATableOfOurOwnNumbers", tables_that_peers_can_slow_down,
       {{"proxy/a.hpp", "std::unordered_map<const block*, std::string> texts_;\nstd::map<std::string, int> sorted_;\n"}}, ""},
      {"AWordInACommentOrATextIsFine", banned_words, {{"proxy/a.cpp", "// no asio::detached\nf(\"http::async_\");\n"}}, ""},

      {"ASocketReadElsewhere", reads_beside_the_doors, {{"gateway/a.cpp", "int a;\nwhile (::recv(fd, to, 9, 0) > 0) {}\n"}},
       "gateway/a.cpp:2"},
      {"TlsReadElsewhere", reads_beside_the_doors, {{"proxy/a.cpp", "while (SSL_read(ssl, to, 9) > 0) {}\n"}}, "proxy/a.cpp:1"},
      {"AsioReadElsewhere", reads_beside_the_doors, {{"gateway/a.cpp", "socket_.read_some(asio::buffer(to), ec);\n"}},
       "gateway/a.cpp:1"},
      {"AsioAsyncReadElsewhere", reads_beside_the_doors, {{"racing/a.hpp", "co_await asio::async_read(socket, to);\n"}},
       "racing/a.hpp:1"},
      {"AWaitThatIsOverElsewhere", reads_beside_the_doors, {{"gateway/a.cpp", "if (is_here()) return at_once();\n"}},
       "gateway/a.cpp:1"},
      {"ReadsAtTheDoors", reads_beside_the_doors,
       {{"proxy/net/byte_stream.cpp", "SSL_read(ssl, to, 9);\n"}, {"proxy/net/socket_io.cpp", "::recv(fd, to, 9, 0);\n"}}, ""},
      {"ReadsInATest", reads_beside_the_doors, {{"tests/a.cpp", "::recv(fd, to, 9, 0);\n"}}, ""},
      {"AReadThatIsSpokenOf", reads_beside_the_doors, {{"proxy/a.cpp", "// recv() and SSL_read(ssl) wait\nint a;\n"}}, ""},

      {"NoPragmaOnce", headers_without_pragma_once, {{"tests/a.hpp", "// A.\nint a();  // #pragma once\n"}}, "tests/a.hpp:1"},
      {"PragmaOnce", headers_without_pragma_once, {{"tests/a.hpp", "// A.\n#pragma once\n"}}, ""},
      {"UsingNamespaceInAHeader", using_namespace_in_headers, {{"proxy/a.hpp", "\nusing namespace std;\n"}}, "proxy/a.hpp:2"},
      {"UsingNamespaceInASource", using_namespace_in_headers, {{"proxy/a.cpp", "using namespace std::literals;\n"}}, ""},
      {"AFileOf601Lines", long_files, {{"proxy/a.cpp", std::string(601, '\n')}}, "proxy/a.cpp:601"},
      {"ATestOf601Lines", long_files, {{"tests/a_test.cpp", std::string(601, '\n')}}, "tests/a_test.cpp:601"},
      {"AFileOf600Lines", long_files, {{"proxy/a.cpp", std::string(600, '\n')}}, ""},
      {"ALineOf121Columns", long_lines, {{"proxy/a.cpp", "\n" + std::string(121, 'a') + "\n"}}, "proxy/a.cpp:2"},
      {"ALongTextInTheProduct", long_lines, {{"proxy/a.cpp", "f(\"" + std::string(121, 'a') + "\");\n"}}, "proxy/a.cpp:1"},
      {"ALongTextInATest", long_lines, {{"tests/a.cpp", "f(R\"(" + std::string(121, 'a') + ")\");\n"}}, ""},
      {"ALongCommentInATest", long_lines, {{"tests/a.cpp", "// " + std::string(138, 'a') + "\n"}}, "tests/a.cpp:1"},
      {"LettersNotBytesAreCounted", long_lines, {{"proxy/a.cpp", "// \xE2\x86\x92" + std::string(115, 'a') + "\n"}}, ""},
      {"ATab", tabs, {{"proxy/a.cpp", "int a;\n\tint b;\n"}}, "proxy/a.cpp:2"},
      {"ATabInsideATestsText", tabs, {{"tests/a.cpp", "f(R\"(\t)\");\n"}}, ""},
      {"ATableWithoutAHead", tables_without_a_head, {{"docs/a.md", "# A\n\n| a | b |\n| 1 | 2 |\n"}}, "docs/a.md:3"},
      {"ATableThatIsOne", tables_without_a_head, {{"docs/a.md", "| a |\n|---|\n| 1 |\n\n```\n| code |\n```\n"}}, ""},
      {"AHeaderWithoutAWord", missing_head_comments, {{"tests/a.hpp", "#pragma once\n"}}, "tests/a.hpp:1"},
      {"ALoneSourceWithoutAWord", missing_head_comments, {{"gateway/main.cpp", "#include <string>\n"}}, "gateway/main.cpp:1"},
      {"AScriptWithoutAWord", missing_head_comments, {{"deploy/a.sh", "#!/bin/sh\nset -e\n"}}, "deploy/a.sh:1"},
      {"FilesThatSayWhatTheyAreFor", missing_head_comments,
       {{"proxy/a.hpp", "// A.\n"}, {"proxy/a.cpp", "#include \"proxy/a.hpp\"\n"}, {"deploy/a.sh", "#!/bin/sh\n# A.\n"}}, ""},
      {"AWordToReadTwiceInAComment", words_to_read_twice, {{"proxy/a.cpp", "int a;\n// Nobody waits.\n"}}, "proxy/a.cpp:2"},
      {"AWordToReadTwiceInAMessage", words_to_read_twice, {{"proxy/a.cpp", "f(\"the client is told\");\n"}}, "proxy/a.cpp:1"},
      {"AWordToReadTwiceInADocument", words_to_read_twice, {{"docs/a.md", "# A\n\nThat is dear.\n"}}, "docs/a.md:3"},
      {"AWordWithinAWordIsFine", words_to_read_twice, {{"proxy/a.cpp", "// ENHANCE_YOUR_CALM, outdated, wished\n"}}, ""},
      {"ADecisionInItsForm", decisions_out_of_form, decision("# 23. Rooms\n\n" + summary + "\n## Details\n" + std::string(900, 'a')), ""},
      {"ADecisionWithAnotherNumber", decisions_out_of_form, decision("# 22. Rooms\n\n" + summary), "docs/decisions/0023-rooms.md:1"},
      {"ADecisionWithoutConsequences", decisions_out_of_form,
       decision("# 23. Rooms\n## Problem\n## Choice\n"), "docs/decisions/0023-rooms.md:3"},
      {"ADecisionWithoutHeadings", decisions_out_of_form, decision("# 23. Rooms\n**Problem.** A.\n"), "docs/decisions/0023-rooms.md:2"},
      {"ADecisionWithAHeadingOfItsOwn", decisions_out_of_form,
       decision("# 23. Rooms\n" + summary + "## Why\n"), "docs/decisions/0023-rooms.md:10"},
      {"ADecisionWithAHeadingTwice", decisions_out_of_form,
       decision("# 23. Rooms\n" + summary + "## Tests\n## Tests\n"), "docs/decisions/0023-rooms.md:11"},
      {"ADecisionWithALongSummary", decisions_out_of_form,
       decision("# 23. Rooms\n" + summary + "\nD.\nE.\nF.\nG.\nH.\nI.\nJ.\nK.\nL.\nM.\n"), "docs/decisions/0023-rooms.md:20"},
      {"ADecisionWithALongLine", decisions_out_of_form,
       decision("# 23. Rooms\n" + summary + std::string(121, 'a') + "\n"), "docs/decisions/0023-rooms.md:10"},
      {"ADecisionThatTheIndexLacks", decisions_out_of_form,
       {{"docs/decisions/0023-rooms.md", "# 23. Rooms\n" + summary}}, "docs/decisions/0023-rooms.md:1"},
      {"MainInATest", main_in_tests, {{"tests/CMakeLists.txt", "add_executable(t\n  ../gateway/main.cpp)\n"}}, "tests/CMakeLists.txt:2"},
      {"MainInALibrary", main_in_tests, {{"gateway/CMakeLists.txt", "add_library(commands main.cpp)\n"}}, "gateway/CMakeLists.txt:1"},
      {"MainWhereItBelongs", main_in_tests, {{"gateway/CMakeLists.txt", "add_executable(photofinish main.cpp)\n"}}, ""},
  };
  return all;
}

class Planted : public testing::TestWithParam<planted> {};

TEST_P(Planted, IsCaughtWhereItStandsOrLeftAlone) {
  const planted& given = GetParam();
  const violations found = given.rule(make_tree(given.files));
  if (given.caught_at.empty()) {
    EXPECT_TRUE(found.empty()) << describe(found);
    return;
  }
  ASSERT_EQ(found.size(), 1u) << describe(found);
  EXPECT_TRUE(describe(found).starts_with(given.caught_at + ": ")) << describe(found);
}

INSTANTIATE_TEST_SUITE_P(Rules, Planted, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<planted>& each) { return each.param.name; });

TEST(PlantedAtTheTop, AStrangerIsCaught) {
  source_tree tree;
  tree.top_level = {"CMakeLists.txt", "LICENSE", "build", "src"};
  const violations found = strangers_at_top_level(tree);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "src");
}

// The source reader must recognize literals and comments exactly as the compiler does.
TEST(SourceFile, KeepsCodeAndEmptiesLiteralsAndComments) {
  const source_file file = make_file("proxy/a.cpp", "a(\"/*\", '\"');  // b\nint c = 1'000; /* d\n e */ f(R\"x(\n)\" )x\");\n");
  ASSERT_EQ(file.code.size(), 4u);
  EXPECT_EQ(file.code[0], "a(\"\", '');  ");
  EXPECT_EQ(file.text[0], "a(\"\", '');  // b");
  EXPECT_EQ(file.code[1], "int c = 1'000; ");
  EXPECT_EQ(file.code[2], " f(\"");
  EXPECT_EQ(file.code[3], "\");");
}

}  // namespace
}  // namespace photofinish::style
