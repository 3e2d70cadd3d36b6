#!/usr/bin/env node
'use strict';

const { spawn } = require('node:child_process');
const { findBinary } = require('../lib/binary.js');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const program = spawn(findBinary(), process.argv.slice(2), { stdio: 'inherit' });
const passOn = (signal) => program.kill(signal);
SIGNALS.forEach((signal) => process.on(signal, passOn));
program.on('error', (error) => {
  throw error;
});
program.on('exit', (status, signal) => {
  SIGNALS.forEach((name) => process.off(name, passOn));
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status;
});
