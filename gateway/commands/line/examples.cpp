#include "gateway/commands/line/examples.hpp"

#include <array>

namespace photofinish::gateway::commands {
namespace {

struct example {
  std::string_view command;
  std::string_view lines;
};

constexpr std::array table{
    example{"serve", "  photofinish serve --demo                      # three simulated providers, no key\n"
                     "  photofinish serve -c /etc/photofinish.yaml\n"
                     "  photofinish serve --listen 127.0.0.1:8080"},
    example{"check", "  photofinish check photofinish.yaml\n"
                     "  photofinish check --without-secrets photofinish.yaml   # in a pull request\n"
                     "  photofinish check && systemctl reload photofinish"},
    example{"doctor", "  photofinish doctor -c photofinish.yaml\n"
                      "  photofinish doctor fast groq/openai/gpt-oss-120b --json"},
    example{"schema", "  photofinish schema > photofinish.schema.json  # for an editor"},
    example{"models", "  photofinish models photofinish.yaml"},
    example{"providers", "  photofinish providers                         # and whose keys are set"},
    example{"sim", "  photofinish sim --listen 127.0.0.1:7800 --ttft 200ms --tps 80"},
    example{"race", "  photofinish race --demo demo 'Say hello'\n"
                    "  photofinish race fast 'Say hello' -c photofinish.yaml --policy hedge\n"
                    "  photofinish race groq/openai/gpt-oss-120b,cerebras/gpt-oss-120b 'Say hello'"},
    example{"bench", "  photofinish bench http://127.0.0.1:7777/v1 -c 1,10,50 -n 100\n"
                     "  photofinish bench https://api.groq.com/openai/v1 -m openai/gpt-oss-120b --html bench.html\n"
                     "  photofinish bench http://127.0.0.1:8000#small http://127.0.0.1:8000#large --isl 100,1000"},
    example{"stats", "  photofinish stats\n"
                     "  photofinish stats https://gateway.example.com --key-env GATEWAY_KEY"},
    example{"advise", "  photofinish advise\n"
                      "  photofinish advise https://gateway.example.com --key-env ADMIN_KEY --route fast"},
    example{"top", "  photofinish top                               # until Ctrl-C\n"
                   "  photofinish top https://gateway.example.com --key-env ADMIN_KEY --count 1"},
    example{"explain", "  photofinish explain race_0k3v9t2m4s6q8b1d5f7h9j0l"},
    example{"catalogue", "  photofinish catalogue show gpt-6.1-sol\n"
                         "  photofinish catalogue diff catalogue.json --config photofinish.yaml\n"
                         "  photofinish catalogue verify catalogue.json --public-key list.pub\n"
                         "  photofinish catalogue make changes.yaml --out catalogue.json --sign list.key"},
    example{"keys", "  photofinish keys new alice --team search --file /etc/photofinish/keys.yaml\n"
                    "  photofinish keys inspect --key-env ALICES_KEY --file /etc/photofinish/keys.yaml\n"
                    "  photofinish keys seal alice --expires 2027-03-31 --provider-keys groq=GROQ_API_KEY\n"
                    "  photofinish keys revoke alice --file /etc/photofinish/keys.yaml\n"
                    "  photofinish keys new alice --redis --set rpm_limit=60 -c photofinish.yaml\n"
                    "  photofinish keys reopen-budget team search --redis redis://127.0.0.1:6379\n"
                    "  photofinish keys usage http://127.0.0.1:7777 --key-env ADMIN_KEY --group-by client,model --csv"},
    example{"health", "  photofinish health                            # for a container's health check\n"
                      "  photofinish health http://127.0.0.1:7777 --live"},
    example{"version", "  photofinish version"},
    example{"help", "  photofinish help serve"},
    example{"completion", "  source <(photofinish completion bash)         # in ~/.bashrc\n"
                          "  photofinish completion zsh > \"${fpath[1]}/_photofinish\"\n"
                          "  photofinish completion fish > ~/.config/fish/completions/photofinish.fish"},
    example{"man", "  photofinish man | man -l -"},
};

}  // namespace

std::string_view examples_of(std::string_view command) {
  for (const example& each : table)
    if (each.command == command) return each.lines;
  return {};
}

}  // namespace photofinish::gateway::commands
