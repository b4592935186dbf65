// The entry point of the command line. Every command has a file in commands/.
#include "gateway/commands/line/command_line.hpp"

int main(int argc, char** argv) { return photofinish::gateway::commands::run_command_line(argc, argv); }
