//===- database_schema_8.h - A database as mlir-tune wrote it at schema 8 --------===//
//
// What `sqlite3 FILE .dump` says of one with the task and the fingerprint of database_fixture.h and
// five records: what the versions before it had can be made of it, but not what it had itself.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_DATABASE_SCHEMA_8_H
#define TUNE_UNITTESTS_TUNING_DATABASE_SCHEMA_8_H

static const char schema_8[] =
    "CREATE TABLE tasks(  id INTEGER PRIMARY KEY,  key TEXT NOT NULL UNIQUE,  kind TEXT NOT "
    "NULL,  name TEXT NOT NULL,  type TEXT NOT NULL,  payload TEXT NOT NULL,  flops REAL NOT "
    "NULL,  bytes REAL NOT NULL,  rank INTEGER NOT NULL,  extents TEXT NOT NULL,  seen_ms "
    "INTEGER NOT NULL, content TEXT NOT NULL DEFAULT '');"
    "INSERT INTO tasks VALUES(1,'aaaa','contraction','matmul 512x1024x1024 f32','f32',"
    "replace('func.func @tune_task() { return }\\n','\\n',char(10)),1073741824.0,8388608.0,3,"
    "'512,1024,1024',1795499644384,'836a7f43348cc8ac8a019891d98cd097');"
    "CREATE TABLE fingerprints(  id INTEGER PRIMARY KEY,  digest TEXT NOT NULL UNIQUE,  target "
    "TEXT NOT NULL,  description TEXT NOT NULL,  seen_ms INTEGER NOT NULL, content TEXT NOT "
    "NULL DEFAULT '');"
    "INSERT INTO fingerprints VALUES(1,'ffff','cpu','{\"model\":\"Test 1\"}',1795499644384,"
    "'6698054ffa0c04738fcf995b52e07830');"
    "CREATE TABLE trials(  id INTEGER PRIMARY KEY,  digest TEXT NOT NULL UNIQUE,  task INTEGER "
    "NOT NULL REFERENCES tasks(id),  fingerprint INTEGER NOT NULL REFERENCES fingerprints(id), "
    " kind TEXT NOT NULL,  schedule TEXT NOT NULL,  config TEXT NOT NULL,  script TEXT,  "
    "verdict TEXT NOT NULL,  error TEXT,  artifact TEXT,  median REAL NOT NULL,  low REAL NOT "
    "NULL,  high REAL NOT NULL,  repeats INTEGER NOT NULL,  samples BLOB NOT NULL,  "
    "check_error REAL,  check_tolerance REAL,  transform_s REAL NOT NULL,  lower_s REAL NOT "
    "NULL,  optimize_s REAL NOT NULL,  codegen_s REAL NOT NULL,  link_s REAL NOT NULL,  "
    "measure_s REAL NOT NULL,  strategy TEXT NOT NULL,  seed INTEGER NOT NULL,  created_ms "
    "INTEGER NOT NULL, registers INTEGER NOT NULL DEFAULT 0, spilled_bytes INTEGER NOT NULL "
    "DEFAULT 0, shared_bytes INTEGER NOT NULL DEFAULT 0, drift REAL NOT NULL DEFAULT 0, "
    "check_type TEXT, check_accumulator TEXT, check_operands TEXT, check_inputs TEXT, "
    "check_reduction INTEGER, check_magnitude REAL, check_leeway REAL, cycles REAL, "
    "instructions REAL, flops REAL, cache_misses REAL, branch_misses REAL, page_faults REAL, "
    "context_switches REAL, conditions INTEGER);"
    // a plain one
    "INSERT INTO trials VALUES(1,'597acb94ba91bfd44571c5ce047a3798',1,1,'trial','5c4ed01e',"
    "'{\"mc\":64}',NULL,'ok',NULL,'0123456789abcdef',1.0,0.98999999999999999111,"
    "1.0100000000000000088,10,X'000000000000f03fae47e17a14aeef3f295c8fc2f528f03f',"
    "9.9999999999999995472e-07,0.00010000000000000000479,0.010000000000000000208,"
    "0.020000000000000000416,0.029999999999999998889,0.040000000000000000832,"
    "0.050000000000000002775,0.059999999999999997779,'evolutionary',-2,1700000000000,0,0,0,0.0,"
    "NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);"
    // a failure
    "INSERT INTO trials VALUES(2,'9b4ac03638cd9858caac39f5021784d6',1,1,'trial','5c4ed01e',"
    "'{\"mc\":64}',NULL,'wrong','wrong','0123456789abcdef',0.0,0.0,0.0,0,X'',NULL,NULL,"
    "0.010000000000000000208,0.020000000000000000416,0.029999999999999998889,"
    "0.040000000000000000832,0.050000000000000002775,0.059999999999999997779,'evolutionary',-2,"
    "1700000000000,0,0,0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,"
    "NULL,NULL);"
    // with reasons and counters, but not what the machine was like
    "INSERT INTO trials VALUES(3,'bc1ba230c01b538f36ccb9c90a5eb3c5',1,1,'trial','5c4ed01e',"
    "'{\"mc\":64}',NULL,'ok',NULL,'0123456789abcdef',1.0,0.98999999999999999111,"
    "1.0100000000000000088,10,X'000000000000f03fae47e17a14aeef3f295c8fc2f528f03f',0.0625,0.125,"
    "0.010000000000000000208,0.020000000000000000416,0.029999999999999998889,"
    "0.040000000000000000832,0.050000000000000002775,0.059999999999999997779,'evolutionary',-2,"
    "1700000000000,0,0,0,0.0,'bf16','f32','tf32','sparse',512,14.249999999999999999,0.03125,"
    "1000000000.0,NULL,3000000000.0,NULL,NULL,NULL,0.0,NULL);"
    // a winner with all there is
    "INSERT INTO trials VALUES(4,'39c8bb811f3ca287c916c1fa576e7650',1,1,'winner','5c4ed01e',"
    "'{\"mc\":32,\"nr\":-1}',replace('module {}\\n','\\n',char(10)),'ok',NULL,"
    "'0123456789abcdef',0.0012345678901234560624,0.0012222222112222215929,"
    "0.001246913569024690532,10,X'4e0e9e2d273a543f5dc13d1b5f06543f3f5bfe3fef6d543f',0.0625,"
    "0.125,0.010000000000000000208,0.020000000000000000416,0.029999999999999998889,"
    "0.040000000000000000832,0.050000000000000002775,0.059999999999999997779,'evolutionary',-2,"
    "1700000000000,96,4,512,1.25,'bf16','f32','tf32','sparse',512,14.249999999999999999,"
    "0.03125,1000000000.0,NULL,3000000000.0,NULL,NULL,NULL,0.0,1);"
    // a wrong result, beyond all bounds
    "INSERT INTO trials VALUES(5,'6bf4541918f3c34052ef7cbbcf42b1aa',1,1,'trial','5c4ed01e',"
    "'{\"mc\":16}',NULL,'wrong','beyond all bounds',NULL,0.0,0.0,0.0,0,X'',1e999,0.0,"
    "0.010000000000000000208,0.020000000000000000416,0.029999999999999998889,"
    "0.040000000000000000832,0.050000000000000002775,0.059999999999999997779,'evolutionary',-2,"
    "1700000000000,0,0,0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,"
    "NULL,NULL);"
    "CREATE TABLE conditions(  id INTEGER PRIMARY KEY,  description TEXT NOT NULL UNIQUE);"
    "INSERT INTO conditions VALUES(1,'{\"cpus\":\"1-3,6\",\"governor\":\"powersave\","
    "\"load\":0.070000000000000007,\"cpu_count\":8,\"stolen\":0.25}');"
    "CREATE TABLE layout(digest TEXT NOT NULL);"
    "INSERT INTO layout VALUES('64327d3bfccd32d9a52c4358e48a16ed');"
    "CREATE INDEX tasks_alike ON tasks(kind, type, rank);"
    "CREATE INDEX winners ON trials(task, fingerprint, schedule, created_ms)  WHERE verdict = "
    "'ok' AND kind = 'winner';"
    "CREATE INDEX trials_in_order ON trials(task, fingerprint, created_ms, kind, verdict);"
    "CREATE INDEX trials_by_time ON trials(task, fingerprint, median / CASE WHEN drift > 0 "
    "THEN drift ELSE 1 END)  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX trials_by_schedule ON trials(task, fingerprint, schedule, median / CASE WHEN "
    "drift > 0 THEN drift ELSE 1 END)  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX trials_failures ON trials(task, fingerprint, schedule, config, created_ms)  "
    "WHERE verdict NOT IN ('ok', 'cut', 'duplicate');"
    "CREATE INDEX trials_doubts ON trials(task, fingerprint, schedule, config, artifact, "
    "created_ms)  WHERE verdict = 'ok' AND kind = 'trial' AND error IS NOT NULL;"
    "PRAGMA application_id = 1297380718; PRAGMA user_version = 8;";

#endif // TUNE_UNITTESTS_TUNING_DATABASE_SCHEMA_8_H
