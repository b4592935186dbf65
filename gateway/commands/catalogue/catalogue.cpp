#include "gateway/commands/catalogue/catalogue.hpp"

#include "gateway/commands/catalogue/catalogue_texts.hpp"
#include "gateway/commands/catalogue/make_list.hpp"
#include "gateway/commands/catalogue_notes.hpp"
#include "gateway/commands/commands.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/log/time_text.hpp"
#include "gateway/process/file_replacement.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "proxy/providers/catalogue_update.hpp"
#include "proxy/providers/model_facts.hpp"
#include "proxy/words/ascii.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr int list_refused = 1, list_wrong_usage = 2;

using shared_list = std::shared_ptr<const proxy::catalogue>;

class catalogue_command {
 public:
  catalogue_command(const catalogue_options& options, const environment& machine, std::ostream& out, std::ostream& err)
      : options_(options), machine_(machine), out_(out), err_(err) {}

  int run() {
    if (options_.action == "show") return show();
    if (options_.argument.empty()) {
      const std::string wanted = options_.action == "make" ? "the file of changes" : "the list's file";
      return complain_of("give " + wanted + " after " + options_.action, list_wrong_usage);
    }
    if (options_.action == "diff") return diff();
    return options_.action == "verify" ? verify() : make();
  }

 private:
  int complain_of(const std::string& what, int exit_code = list_refused) const {
    err_ << "error: " << proxy::shown_text(what) << '\n';
    return exit_code;
  }

  // Returns the text of a file. If the file cannot be read, prints the problem and returns nothing.
  std::optional<std::string> text_of(const std::string& path) const {
    file_content content = machine_.read_file(path);
    if (content.problem.empty()) return std::move(content.text);
    complain_of(path + ": " + content.problem);
    return std::nullopt;
  }

  shared_list read_list(const std::string& path) const {
    const auto text = text_of(path);
    if (!text) return nullptr;
    proxy::catalogue_result read = proxy::parse_catalogue(*text);
    if (!read.value) complain_of(path + ": " + read.error);
    return read.value;
  }

  // Returns the configuration. If the configuration cannot be used, prints the problems and returns nothing.
  std::optional<config> configuration() const {
    config_result loaded = load_config(find_config(options_.config_file, machine_), machine_);
    print_problems(loaded.problems, err_);
    if (!loaded.is_usable()) return std::nullopt;
    return std::move(loaded.settings);
  }

  int show() const {
    shared_list list;
    if (!options_.file.empty()) {
      list = read_list(options_.file);
      if (!list) return list_refused;
    } else if (!options_.config_file.empty()) {
      const auto settings = configuration();
      if (!settings) return list_wrong_usage;
      list = settings->catalogue.from_file;
    }
    const proxy::catalogue& shown = list ? *list : *proxy::built_in_catalogue();
    if (options_.argument.empty()) return show_list(shown, out_), 0;
    if (show_part(shown, options_.argument, out_)) return 0;
    return complain_of("this list has no model, provider or provider/model '" + options_.argument + "'");
  }

  int diff() const {
    const shared_list next = read_list(options_.argument);
    if (!next) return list_refused;
    if (options_.config_file.empty()) {
      const shown_differences all{[](const auto&, const auto&) { return true; }, [](const auto&) { return true; }};
      show_differences(*proxy::built_in_catalogue(), *next, all, out_);
      return 0;
    }
    const auto settings = configuration();
    if (!settings) return list_wrong_usage;
    const proxy::catalogue& before = settings->catalogue.list();
    std::set<std::pair<std::string, std::string>> used;
    std::set<std::string, std::less<>> clouds;
    for (const target_name& each : configured_targets(*settings)) {
      const auto provider = settings->providers.find(each.provider);
      if (provider == settings->providers.end()) continue;
      add_names(before, *next, provider->second.listed.provider, std::string(each.sent_model()), used);
      clouds.emplace(cloud_with_betas(provider->second));
    }
    const shown_differences configured{
        [&used](const auto& provider, const auto& name) { return used.contains({provider, name}); },
        [&clouds](const auto& cloud) { return clouds.contains(cloud); }};
    show_differences(before, *next, configured, out_);
    return 0;
  }

  static std::string_view cloud_with_betas(const proxy::provider& at) {
    const std::string_view cloud = proxy::cloud_of(at);
    return cloud.empty() && at.dialect == "bedrock" ? "bedrock" : cloud;
  }

  // Adds the names under which the old list and the new list contain the target. A list may omit the date or the
  // version at the end of a target's name.
  static void add_names(const proxy::catalogue& before, const proxy::catalogue& next, const std::string& provider,
                        const std::string& model, std::set<std::pair<std::string, std::string>>& into) {
    const std::string lower = proxy::ascii_lower(model);
    for (const proxy::catalogue* list : {&before, &next}) {
      const auto* row = provider.empty() ? nullptr : list->find(provider, model);
      if (row == nullptr) continue;
      std::string_view longest;
      for (const std::string& name : row->names)
        if (lower.starts_with(name) && name.size() > longest.size()) longest = name;
      if (!longest.empty()) into.emplace(provider, longest);
    }
  }

  // Returns the public key that the option contains, or that is in the file that the option names.
  std::optional<std::string> public_key() const {
    if (options_.public_key.empty() || proxy::is_ed25519_public_key(options_.public_key)) return options_.public_key;
    auto text = text_of(options_.public_key);
    if (text && proxy::is_ed25519_public_key(*text)) return text;
    if (text) complain_of(options_.public_key + " has no Ed25519 public key");
    return std::nullopt;
  }

  int verify() const {
    const std::string& path = options_.argument;
    const auto text = text_of(path);
    const auto key = public_key();
    if (!text || !key) return list_refused;
    const bool is_signed = !key->empty(), is_hashed = !options_.sha256.empty();
    if (is_signed && is_hashed) return complain_of("give either --sha256 or --public-key", list_wrong_usage);
    const auto signature = is_signed ? text_of(path + ".sig") : std::string();
    if (!signature) return list_refused;
    const std::string hash = proxy::sha256_hex(*text);
    const proxy::catalogue_result read =
        proxy::read_proven_catalogue({.text = *text, .signature = *signature,
                                      .sha256 = is_signed ? std::string_view() : is_hashed ? options_.sha256 : hash,
                                      .public_key = *key});
    if (!read.value) return complain_of(path + " " + read.error);
    const proxy::catalogue& built_in = *proxy::built_in_catalogue();
    if (read.value->as_of() < built_in.as_of())
      return complain_of(path + " is dated " + day_text(read.value->as_of()) +
                         " and is therefore older than the list in this program (" + day_text(built_in.as_of()) + ")");
    if (machine_.current_day && proxy::is_dated_ahead(read.value->as_of(), machine_.current_day()))
      return complain_of(path + " is dated " + day_text(read.value->as_of()) + ", which is more than two days after "
                                                                               "today (" +
                         day_text(machine_.current_day()) + ")");
    const std::string jump = options_.allow_jumps ? "" : proxy::jump_problem(built_in, *read.value);
    if (!jump.empty())
      return complain_of(path + " differs too much from the list in this program: " + jump +
                         "; --allow-jumps permits this");
    out_ << "ok: " << proxy::shown_text(path) << " of " << day_text(read.value->as_of()) << "\nsha256: " << hash
         << '\n';
    if (!is_signed && !is_hashed) out_ << "not verified: give --sha256 or --public-key\n";
    return 0;
  }

  int make() const {
    if (!options_.signing_key.empty() && options_.out.empty())
      return complain_of("--sign needs --out, because it writes FILE.sig", list_wrong_usage);
    const auto changes = text_of(options_.argument);
    const auto from = options_.file.empty() ? std::string(proxy::built_in_catalogue_text()) : text_of(options_.file);
    const auto key = options_.signing_key.empty() ? std::string() : text_of(options_.signing_key);
    if (!changes || !from || !key) return list_refused;
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const made_list made = make_list(*from, *changes, day_text(today));
    if (!made.problem.empty()) return complain_of(options_.argument + ": " + made.problem);
    note_refusal(made.text);
    if (options_.out.empty()) return out_ << made.text, 0;
    const auto signature = key->empty() ? std::string() : proxy::ed25519_signature(*key, made.text);
    if (!signature)
      return complain_of(options_.signing_key + " is not an Ed25519 private key in PEM without a passphrase");
    return write(made.text, *signature);
  }

  // Prints a note if a gateway would refuse the new list unless it has the setting allow_jumps.
  void note_refusal(const std::string& text) const {
    const shared_list list = proxy::parse_catalogue(text).value;
    const std::string jump = list ? proxy::jump_problem(*proxy::built_in_catalogue(), *list) : "";
    if (!jump.empty())
      err_ << "note: a gateway refuses this list without allow_jumps: true, because it differs too much from the list "
              "in this program: " << proxy::shown_text(jump) << '\n';
  }

  // Writes the signature before the list. A gateway that watches both files refuses the list until both files have been
  // replaced.
  int write(const std::string& text, const std::string& signature) const {
    std::string problem = signature.empty() ? "" : rewrite_file(options_.out + ".sig", signature);
    if (problem.empty()) problem = rewrite_file(options_.out, text);
    if (!problem.empty()) return complain_of(options_.out + ": " + problem);
    out_ << "sha256: " << proxy::sha256_hex(text) << '\n';
    return 0;
  }

  const catalogue_options& options_;
  const environment& machine_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace

int run_catalogue(const catalogue_options& options, const environment& machine, std::ostream& out, std::ostream& err) {
  return catalogue_command(options, machine, out, err).run();
}

void add_catalogue_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("catalogue", "Show, compare, verify and create lists of models' prices and limits");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<catalogue_options>();
  command->add_option("ACTION", options->action, "The action")
      ->required()->check(CLI::IsMember({"show", "diff", "verify", "make"}));
  command->add_option("ARGUMENT", options->argument,
                      "For show: a model, a provider or provider/model; for diff and verify: a list's file; for make: "
                      "a YAML file of changes");
  add_config_option(*command, options->config_file);
  command->add_option("--file", options->file, "For show and make: this list replaces the one in the binary")
      ->type_name("FILE");
  auto* hash = command->add_option("--sha256", options->sha256, "For verify: the SHA-256 that the file must have");
  hash->type_name("HEX");
  command->add_option("--public-key", options->public_key,
                      "For verify: an Ed25519 public key, or a file that contains it; the signature is in FILE.sig")
      ->type_name("KEY")->excludes(hash);
  command->add_flag("--allow-jumps", options->allow_jumps,
                    "For verify: permit large changes of prices and removed models");
  command->add_option("--out", options->out, "For make: the file for the list (default: the list is printed)")
      ->type_name("FILE");
  command->add_option("--sign", options->signing_key, "For make: an Ed25519 private key in PEM; writes OUT.sig")
      ->type_name("FILE");
  command->footer("Without --config, diff compares with the list in the binary and shows all models. With --config, "
                  "diff compares with the configuration's list and shows the configuration's targets.");
  command->callback([options, &exit_code] {
    exit_code = run_catalogue(*options, process_environment(), std::cout, std::cerr);
  });
}

}  // namespace photofinish::gateway
