// The command line. Every verb is a file in commands/.
#include "gateway/commands/line/command_line.hpp"

int main(int argc, char** argv) { return photofinish::gateway::commands::run_command_line(argc, argv); }
