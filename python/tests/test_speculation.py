"""Spark with executors on two hosts: it starts a slow task again on the other host, so both attempts end well."""

import os
import socket
import subprocess
from pathlib import Path

import pyspark
import pytest
from spark_bed import CHECKS, eight, expected, spark_session

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("hosts")


@pytest.fixture(scope="module")
def spark(folder):
    """A cluster whose workers have two names, both of this machine. In local-cluster, all have one name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    start = [Path(pyspark.__file__).parent / "bin/spark-class"]
    environment = os.environ | {"SPARK_WORKER_DIR": os.fspath(folder), "SPARK_LOCAL_IP": "127.0.0.1"}
    commands = [["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for host in ("127.0.0.2", "127.0.0.3"):
        options = ["--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
        commands.append(["org.apache.spark.deploy.worker.Worker", *options, master])
    log = (folder / "cluster.log").open("wb")
    cluster = [subprocess.Popen(start + command, env=environment, stdout=log, stderr=log) for command in commands]
    try:
        with spark_session(master, folder) as session:
            yield session
    finally:
        for process in reversed(cluster):
            process.terminate()
            process.wait()
        log.close()


@pytest.mark.parametrize("check", CHECKS)
def test_tasks_that_run_twice_count_once(spark, folder, eight, expected, check):
    (folder / "twice").touch()
    check(spark, eight, expected)
    (folder / "was_twice").unlink()
