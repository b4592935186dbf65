"""Runs llama.cpp's own HTTP server from its Python wheel: llama_server.py MODEL. Prints the server's URL."""

import signal
import sys

import xllamacpp

from words import CONTEXT

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.model_alias = {"tiny"}
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_ctx = CONTEXT
parameters.n_parallel = 2
parameters.cpuparams.n_threads = 1
parameters.endpoint_metrics = True
parameters.endpoint_slots = True
parameters.use_jinja = True
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
signal.sigwait({signal.SIGINT, signal.SIGTERM})
