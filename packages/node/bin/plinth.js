#!/usr/bin/env node
'use strict';

const { spawnSync } = require('node:child_process');
const { findBinary } = require('../lib/binary.js');

const { status, signal, error } = spawnSync(findBinary(), process.argv.slice(2), { stdio: 'inherit' });
if (error) throw error;
if (signal) process.kill(process.pid, signal);
process.exitCode = status;
